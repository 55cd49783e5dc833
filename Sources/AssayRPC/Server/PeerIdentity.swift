/// Whose connections are counted together.
enum PeerIdentity: Hashable, Sendable {
    case user(UInt32)
    case names(RPCPeerNames)
    /// Nobody vouches for more than the address.
    case address(String)

    init(_ peer: RPCPeer) {
        switch peer {
        case .unix(let userID, _, _): self = .user(userID)
        case .tcp(let address, _, _): self = .address(address)
        case .tls(_, _, let names): self = .names(names)
        }
    }
}
