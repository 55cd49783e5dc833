import AssayCore

/// The text of a configuration that follows from a plan. Paths in it are relative to its folder, so that the folder can be moved.
package struct PlannedConfiguration: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case production
        /// With virtual devices, which alone it trusts beside real ones.
        case test
    }

    /// Files in the configuration's folder. What makes them and the text have the names from here.
    package enum File {
        package static let configuration = "assayd.yaml"
        package static let socket = "assayd.sock"
        package static let authority = "tls/ca.pem"
        package static let authorityKey = "tls/ca.key"
        package static let server = "tls/server.pem"
        package static let serverKey = "tls/server.key"
        package static let password = "database-password"
        package static let issuers = "ca"
        package static let phone = "phone"
        package static let android = "android"
        package static let camera = "camera"
        package static let ledger = "ledger.db"
    }

    let plan: InstallationPlan
    let kind: Kind

    package init(_ plan: InstallationPlan, _ kind: Kind) { (self.plan, self.kind) = (plan, kind) }

    private var isTest: Bool { kind == .test }

    /// A test's ledger is a file in its folder in any case: it never touches a database that others use.
    private var storage: InstallationPlan.Storage { isTest ? .file(File.ledger) : plan.storage }

    package var port: UInt16 { isTest ? plan.testPort : plan.port }

    package var text: String {
        let sections = [head, listen, tls, store, callers, provisioning, trust, feeds, apps]
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    // MARK: Sections

    private var head: [String] {
        let purpose =
            switch plan.user {
            case .upload: "a service that takes uploads"
            case .provisioning: "the provisioning of a fleet"
            case .security: "a service that takes uploads, and a security team"
            case .trial: "trying it out"
            }
        let note =
            isTest
            ? "# A test of the production one: it trusts virtual devices. Never protect anything with it."
            : "# For real devices."
        return [
            "# Made by assay init for \(purpose).", note,
            "# \(Documentation.page("reference/configuration.md")) explains every key. After a change: assayd check-config --strict \(File.configuration)",
        ]
    }

    private var listen: [String] {
        let mode =
            plan.reach == .socket ? ["    mode: 0660                        # members of the socket's group may connect"] : []
        // What trusts virtual devices is not shown to a network.
        let address = plan.reach == .network && !isTest ? "0.0.0.0" : "127.0.0.1"
        return [
            "listen:",
            "  - unix: \(File.socket)"
                + (plan.reach == .socket
                    ? "                 # for callers and for assay; it has to be in a folder that they may enter"
                    : "                 # for assay on this machine"),
        ] + mode
            + (plan.reach == .socket
                ? []
                : [
                    "  - tls: \(address):\(port)",
                    "    protocol: http                    # gRPC, gRPC-Web, and Connect with JSON",
                    "    client_certificates: optional     # callers show an API key",
                ])
    }

    private var tls: [String] {
        guard plan.reach != .socket else { return [] }
        let files = isTest ? nil : plan.serverCertificate
        return [
            "tls:",
            "  certificate: \(Self.quoted(files?.certificate ?? File.server))",
            "  private_key: \(Self.quoted(files?.key ?? File.serverKey))",
            "  client_ca: \(File.authority)              # of callers that show a certificate in place of a key",
        ]
    }

    private var store: [String] {
        switch storage {
        case .file(let path):
            return [
                "store:",
                "  path: \(Self.quoted(path))                 # beside it the key of its secrets: back both up, apart",
            ]
        case .database(let address, let ca):
            let password = address.password == nil ? [] : ["    password_file: \(File.password)"]
            return [
                "store:", "  postgresql:", "    hosts: [\(address.hosts.map(Self.quoted).joined(separator: ", "))]",
                "    database: \(Self.quoted(address.database))", "    user: \(Self.quoted(address.user))",
            ] + password + (ca.map { ["    ca: \(Self.quoted($0))"] } ?? [])
                + ["  folder: .                           # the daemon's own files"]
        }
    }

    private var callers: [String] {
        // In a test one user does what services do with keys of their own.
        let roles =
            isTest
            ? "[verify, provision, fleet, enrol, devices, operate, observe]" : "[devices, operate, observe]"
        let keyRoles = FirstKey.Role.allCases.filter { role in plan.firstKeys.contains { $0.roles.contains(role) } }
        return [
            "callers:                              # all others are denied", "  known:",
            "    - name: administrator             # the user who made this file, at the Unix socket",
            "      unix_user: \(plan.administrator)", "      roles: \(roles)", "      apps: all",
            "  keys:                               # what 'assay key create' may give at most",
            "    roles: [\(keyRoles.map(\.rawValue).joined(separator: ", "))]",
            "    apps: \(keyRoles.contains(.observe) ? "all" : "[\(plan.app.text)]")",
        ]
    }

    private var provisioning: [String] {
        guard plan.user == .provisioning else { return [] }
        return [
            "provisioning:", "  authorities:", "    - name: issuing-1",
            "      certificate: \(File.issuers)/issuing-1.pem", "      key: \(File.issuers)/issuing-1.key",
            "      passphrase_file: \(File.issuers)/issuing-1.passphrase",
        ]
    }

    private var trust: [String] {
        let roots =
            (plan.iOS == nil ? [] : ["\(File.phone)/root.pem"]) + (plan.android == nil ? [] : ["\(File.android)/root.pem"])
        guard isTest, plan.user != .provisioning, !roots.isEmpty else { return [] }
        return ["trust:", "  test_roots: [\(roots.joined(separator: ", "))]   # of the virtual devices"]
    }

    private var feeds: [String] {
        guard !isTest, plan.android != nil, plan.user != .provisioning else { return [] }
        return [
            "feeds:", "  google_attestation_status:",
            "    file: attestation-status          # Google's list of revoked keys, over restarts",
        ]
    }

    private var apps: [String] {
        guard plan.user != .provisioning else { return ["apps:", "  \(plan.app.text):"] + fleet }
        let rules =
            [
                "    binding:", "      payload: required               # the device signs the hash of the upload",
            ]
            + (plan.user == .security
                ? ["    audit_claims: true                # claims beside the audit log, for investigations"] : [])
            + (isTest ? ["    accept_simulated: true"] : [])
        return ["apps:", "  \(plan.app.text):"] + rules + appAttest + androidAttestation
    }

    private var appAttest: [String] {
        guard let iOS = plan.iOS else { return [] }
        return ["    app_attest:", "      identities:", "        - app_id: \(iOS.appID)"]
    }

    private var androidAttestation: [String] {
        guard let android = plan.android else { return [] }
        return [
            "    android:", "      packages:", "        - name: \(android.package)",
            "          signers:                    # SHA-256 of each certificate that signs it",
        ] + android.signers.map { "            - \(Hex.encode($0))" } + ["      security_level: tee"]
            + (isTest ? ["      revocation: {source: none}        # Google's list knows nothing of virtual devices"] : [])
    }

    private var fleet: [String] {
        [
            "    provisioning:", "      fleet:", "        manufacturer: \(Self.quoted(plan.manufacturer ?? ""))",
            "    certificate_bundle: {}",
        ]
    }

    /// A text in quotes as YAML has them: double-quoted. Answers have no control characters.
    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
