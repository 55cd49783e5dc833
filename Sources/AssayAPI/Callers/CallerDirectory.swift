package import AssayCore

/// The callers of the configuration, by what each is recognised by: a user at a Unix socket, or a name in a certificate.
package struct CallerDirectory: Sendable {
    private let byUserID: [UInt32: Caller]
    private let byURI: [String: Caller]
    private let byDNSName: [String: Caller]
    /// The demo profile: the caller behind every peer on this machine without TLS.
    package let loopback: Caller?
    /// The caller behind every TCP peer without TLS.
    package let network: Caller?
    /// What callers with API keys may be given; `nil`: there are none.
    package let keys: KeyRule?

    /// Names are ASCII, where Swift compares texts as it compares bytes.
    package init(
        byUserID: [UInt32: Caller], byURI: [String: Caller] = [:], byDNSName: [String: Caller] = [:], loopback: Caller? = nil,
        network: Caller? = nil, keys: KeyRule? = nil
    ) {
        self.keys = keys
        (self.byUserID, self.byURI, self.byDNSName) = (byUserID, byURI, byDNSName)
        (self.loopback, self.network) = (loopback, network)
    }

    /// The demo profile's caller: every role, every app.
    package static let demo = Caller(name: "loopback-demo", roles: Set(Role.allCases), apps: nil)
    /// The caller of a network that authenticates in place of the daemon: every role, every app.
    package static let unauthenticated = Caller(name: "unauthenticated-network", roles: Set(Role.allCases), apps: nil)

    /// Whether a caller can be recognised by a certificate.
    package var knowsCertificates: Bool { !byURI.isEmpty || !byDNSName.isEmpty }

    /// The callers, ordered by name, each with the users and names by which it is recognised.
    package var known: [(caller: Caller, marks: [String])] {
        let marks =
            byUserID.sorted { $0.key < $1.key }.map { ($0.value, "unix user \($0.key)") }
            + byURI.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }
            + byDNSName.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }
        return Dictionary(grouping: marks) { $0.0.name }.sorted { $0.key < $1.key }.compactMap { _, marks in
            marks.first.map { ($0.0, marks.map(\.1)) }
        }
    }

    /// The names of all callers without an API key.
    package var names: [String] { known.map(\.caller.name) + [loopback, network].compactMap { $0?.name } }

    /// The callers that are recognised by their user at a Unix socket.
    package var unixUsers: [(caller: String, userID: UInt32)] {
        byUserID.sorted { $0.key < $1.key }.map { ($0.value.name, $0.key) }
    }

    /// The callers that are recognised by a name in their certificate.
    package var certificateHolders: Set<String> { Set(byURI.values.map(\.name)).union(byDNSName.values.map(\.name)) }

    /// The caller that is recognised by its user at a Unix socket.
    package func caller(userID: UInt32) -> Caller? { byUserID[userID] }

    /// The callers that a certificate with these names stands for: more than one if it names several.
    package func callers(uris: [String], dnsNames: [String]) -> [Caller] {
        uris.compactMap { byURI[$0] } + dnsNames.compactMap { byDNSName[$0] }
    }
}

/// What the configuration allows callers with API keys at most.
package struct KeyRule: Hashable, Sendable {
    package let roles: Set<Role>
    /// `nil`: every app.
    package let apps: Set<AppID>?
    /// In milliseconds.
    package let longestLifetime: Int64

    package init(roles: Set<Role>, apps: Set<AppID>?, longestLifetime: Int64) {
        (self.roles, self.apps, self.longestLifetime) = (roles, apps, longestLifetime)
    }

    /// The name of the caller with a key. No caller of the configuration has such a name.
    package static func callerName(_ key: String) -> String { prefix + key }
    package static let prefix = "key:"

    /// The caller that a key stands for: what it was given, as far as this still allows it.
    package func caller(with key: CallerKey) -> Caller {
        let given = key.apps.map { Set($0) }
        let own: Set<AppID>? =
            switch (given, apps) {
            case (nil, let allowed): allowed
            case (let given, nil): given
            case (let given?, let allowed?): given.intersection(allowed)
            }
        return Caller(
            name: Self.callerName(key.name), roles: roles.intersection(key.roles.compactMap(Role.init(rawValue:))), apps: own)
    }
}

/// A relying party of the configuration: its name in the audit log, its roles and its apps.
package final class Caller: Sendable {
    package let name: String
    package let roles: Set<Role>
    /// `nil`: every app.
    package let apps: Set<AppID>?

    package init(name: String, roles: Set<Role>, apps: Set<AppID>?) {
        (self.name, self.roles, self.apps) = (name, roles, apps)
    }

    package func may(use app: AppID) -> Bool { apps?.contains(app) ?? true }
}

extension Caller: Equatable {
    package static func == (a: Caller, b: Caller) -> Bool { a.name == b.name && a.roles == b.roles && a.apps == b.apps }
}
