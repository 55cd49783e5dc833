package import AssayRPC

/// Who stands behind a peer. Whoever is not named here is nobody.
package struct CallerDirectory: Sendable {
    private let byUserID: [UInt32: Caller]
    private let byURI: [String: Caller]
    private let byDNSName: [String: Caller]
    /// The demo profile: whoever reaches a socket on this machine, TLS excepted.
    package let loopback: Caller?
    /// Whoever reaches a TCP socket without TLS, from wherever.
    package let network: Caller?

    /// Names are ASCII, in which Swift's equality of texts is equality of bytes.
    package init(
        byUserID: [UInt32: Caller], byURI: [String: Caller] = [:], byDNSName: [String: Caller] = [:], loopback: Caller? = nil,
        network: Caller? = nil
    ) {
        (self.byUserID, self.byURI, self.byDNSName) = (byUserID, byURI, byDNSName)
        (self.loopback, self.network) = (loopback, network)
    }

    /// The demo profile's caller: every role, every app.
    package static let demo = Caller(name: "loopback-demo", roles: Set(Role.allCases), apps: nil)
    /// Nobody in particular, with every role and every app: what a network has that authenticates in the daemon's place.
    package static let unauthenticated = Caller(name: "unauthenticated-network", roles: Set(Role.allCases), apps: nil)

    /// Whether anybody can be recognised by a certificate.
    package var knowsCertificates: Bool { !byURI.isEmpty || !byDNSName.isEmpty }

    /// The callers that are known, by name, each with what it is recognised by.
    package var known: [(caller: Caller, marks: [String])] {
        let marks =
            byUserID.sorted { $0.key < $1.key }.map { ($0.value, "unix user \($0.key)") }
            + byURI.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }
            + byDNSName.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }
        return Dictionary(grouping: marks) { $0.0.name }.sorted { $0.key < $1.key }.compactMap { _, marks in
            marks.first.map { ($0.0, marks.map(\.1)) }
        }
    }

    /// The callers that are recognised by their user at a Unix socket.
    package var unixUsers: [(caller: String, userID: UInt32)] {
        byUserID.sorted { $0.key < $1.key }.map { ($0.value.name, $0.key) }
    }

    /// The callers that are recognised by a name in their certificate.
    package var certificateHolders: Set<String> { Set(byURI.values.map(\.name)).union(byDNSName.values.map(\.name)) }

    package func caller(for peer: RPCPeer) -> Caller? {
        switch peer {
        case .unix(let userID, _, _): byUserID[userID] ?? loopback
        case .tcp(_, _, let isLoopback): (isLoopback ? loopback : nil) ?? network
        case .tls(_, _, let names): caller(named: names)
        }
    }

    /// The caller that the configuration names by what the peer shows; `nil` also where anybody is let in.
    func known(_ peer: RPCPeer) -> Caller? {
        switch peer {
        case .unix(let userID, _, _): byUserID[userID]
        case .tcp: nil
        case .tls(_, _, let names): caller(named: names)
        }
    }

    /// Whether a peer is nobody because its certificate names more than one caller.
    func namesSeveral(_ peer: RPCPeer) -> Bool {
        guard case .tls(_, _, let names) = peer else { return false }
        let callers = callers(named: names)
        return callers.contains { $0 !== callers.first }
    }

    /// A certificate that names two callers names none: which of them called could not be said.
    private func caller(named names: RPCPeerNames) -> Caller? {
        let callers = callers(named: names)
        guard let first = callers.first, callers.allSatisfy({ $0 === first }) else { return nil }
        return first
    }

    private func callers(named names: RPCPeerNames) -> [Caller] {
        names.uris.compactMap { byURI[$0] } + names.dnsNames.compactMap { byDNSName[$0] }
    }
}
