package import AssayAPI
package import AssayRPC

/// Maps a peer to a configured caller. Unknown peers are denied.
extension CallerDirectory {
    package func caller(for peer: RPCPeer) -> Caller? {
        switch peer {
        case .unix(let userID, _, _): caller(userID: userID) ?? loopback
        case .tcp(_, _, let isLoopback): (isLoopback ? loopback : nil) ?? network
        case .tls(_, _, let names): caller(named: names)
        }
    }

    /// The caller that the configuration recognises by the peer's user or certificate; `nil` also for the demo profile and an open network.
    func known(_ peer: RPCPeer) -> Caller? {
        switch peer {
        case .unix(let userID, _, _): caller(userID: userID)
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

    private func callers(named names: RPCPeerNames) -> [Caller] { callers(uris: names.uris, dnsNames: names.dnsNames) }
}
