/// The identity under which connections and calls are counted together.
package enum PeerIdentity: Hashable, Sendable, CustomStringConvertible {
    /// A caller of the configuration, however it is recognised.
    case caller(String)
    case user(UInt32)
    case names(RPCPeerNames)
    /// A peer that shows nothing but its address.
    case address(String)

    package init(_ peer: RPCPeer) {
        switch peer {
        case .unix(let userID, _, _): self = .user(userID)
        case .tcp(let address, _, _): self = .address(address)
        case .tls(_, _, let names): self = .names(names)
        }
    }

    package init(_ peer: RPCPeer, _ access: RPCAccess) {
        self = access.caller(peer).map { .caller($0) } ?? PeerIdentity(peer)
    }

    package var description: String {
        switch self {
        case .caller(let name): name
        case .user(let userID): "user \(userID)"
        case .names(let names): names.description
        case .address(let address): address
        }
    }
}
