package import AssayCore

/// What `assay init` was answered: what an installation is for. The texts of its configurations follow from it.
package struct InstallationPlan: Hashable, Sendable {
    /// Who installs it.
    package enum User: String, CaseIterable, Sendable {
        /// A service that takes uploads of an app.
        case upload
        /// A manufacturer that gives its devices certificates.
        case provisioning
        /// A team that looks after devices, beside a service that takes uploads.
        case security
        /// One who wants to see it work.
        case trial
    }

    /// How callers reach the daemon.
    package enum Reach: String, CaseIterable, Sendable {
        /// HTTP with TLS on this machine alone.
        case loopback
        /// A Unix socket.
        case socket
        /// HTTP with TLS on every address of the machine; the test's on this machine alone.
        case network
    }

    package enum Storage: Hashable, Sendable {
        /// A path, relative to the configuration's folder or absolute.
        case file(String)
        /// - ca: the roots of the server's certificate; `nil`: without TLS.
        case database(DatabaseAddress, ca: String?)
    }

    package var user: User
    /// The app of the callers.
    package var app: AppID
    package var iOS: IOSApp?
    package var android: AndroidApp?
    /// Of a fleet of cameras; needed by provisioning alone.
    package var manufacturer: String?
    package var reach: Reach
    /// Where the daemons listen with TLS.
    package var port: UInt16
    package var testPort: UInt16
    package var storage: Storage
    /// The user who operates the daemon, at its Unix socket.
    package var administrator: UInt32
    /// Files of a certificate for the daemon that exists already; `nil`: one is made.
    package var serverCertificate: ServerCertificateFiles?

    package struct ServerCertificateFiles: Hashable, Sendable {
        package let certificate: String
        package let key: String
        package init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
    }

    package init(user: User, app: AppID, administrator: UInt32) {
        (self.user, self.app, self.administrator) = (user, app, administrator)
        (reach, port, testPort, storage) = (.socket, 8443, 9443, .file("ledger.db"))
    }

    /// Throws if answers do not go together.
    package func check() throws(PlanError) {
        switch user {
        case .provisioning:
            guard let manufacturer, (1...64).contains(manufacturer.utf8.count), manufacturer.firstInvisible == nil else {
                throw PlanError("a manufacturer has 1 to 64 bytes of visible characters", manufacturer ?? "")
            }
        case .upload, .security, .trial:
            guard iOS != nil || android != nil else {
                throw PlanError(
                    "an app is needed: an iOS team and bundle identifier (--team, --bundle), or an Android package and signer (--apk, or "
                        + "--package and --signer)", "")
            }
        }
        guard port != testPort || reach == .socket else {
            throw PlanError("the production daemon and the test daemon need different ports", "\(port)")
        }
        if case .database(let address, nil) = storage, !address.isOnThisMachine {
            throw PlanError("a database on another machine needs the CA of its certificate (--database-ca)", "")
        }
    }
}

/// The callers with API keys that an installation begins with.
package struct FirstKey: Hashable, Sendable {
    /// Of the key; its file is named after it.
    package let name: String
    package let roles: [Role]

    package enum Role: String, CaseIterable, Sendable {
        case verify, provision, fleet, enrol, devices, observe
    }
}

extension InstallationPlan {
    /// Each service has a key of its own, with the least that it needs.
    package var firstKeys: [FirstKey] {
        switch user {
        case .upload, .trial: [FirstKey(name: "uploads", roles: [.verify])]
        case .security: [FirstKey(name: "uploads", roles: [.verify]), FirstKey(name: "security", roles: [.devices, .observe])]
        case .provisioning:
            [
                FirstKey(name: "factory", roles: [.fleet]), FirstKey(name: "planning", roles: [.enrol]),
                FirstKey(name: "uploads", roles: [.verify, .provision]),
            ]
        }
    }
}
