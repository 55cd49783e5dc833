import AssayAPI
package import AssayRPC

/// Maps a peer to a configured caller. Unknown peers are denied.
package struct CallerDirectory: Sendable {
    private let byUserID: [UInt32: Caller]
    private let byURI: [String: Caller]
    private let byDNSName: [String: Caller]
    /// The demo profile: the caller behind every peer on this machine without TLS.
    package let loopback: Caller?
    /// The caller behind every TCP peer without TLS.
    package let network: Caller?

    /// Names are ASCII, where Swift compares texts as it compares bytes.
    package init(
        byUserID: [UInt32: Caller], byURI: [String: Caller] = [:], byDNSName: [String: Caller] = [:], loopback: Caller? = nil,
        network: Caller? = nil
    ) {
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

    /// The caller that the configuration recognises by the peer's user or certificate; `nil` also for the demo profile and an open network.
    func known(_ peer: RPCPeer) -> Caller? {
        switch peer {
        case .unix(let userID, _, _): byUserID[userID]
        case .tcp: nil
        case .tls(_, _, let names): caller(named: names)
        }
    }

    /// Whether a peer is unknown because its certificate names more than one caller.
    func namesSeveral(_ peer: RPCPeer) -> Bool {
        guard case .tls(_, _, let names) = peer else { return false }
        let callers = callers(named: names)
        return callers.contains { $0 !== callers.first }
    }

    /// A certificate that names two callers is refused: it does not tell which of them calls.
    private func caller(named names: RPCPeerNames) -> Caller? {
        let callers = callers(named: names)
        guard let first = callers.first, callers.allSatisfy({ $0 === first }) else { return nil }
        return first
    }

    private func callers(named names: RPCPeerNames) -> [Caller] {
        names.uris.compactMap { byURI[$0] } + names.dnsNames.compactMap { byDNSName[$0] }
    }
}
