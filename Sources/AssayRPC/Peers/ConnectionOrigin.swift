/// Where a connection comes from, as far as connections are counted together.
package enum ConnectionOrigin: Hashable, Sendable {
    case user(UInt32)
    case address(CountedAddress)

    package init(_ peer: RPCPeer) {
        switch peer {
        case .unix(let user, _, _): self = .user(user)
        case .tcp(let address, _, _), .tls(let address, _, _): self = .address(CountedAddress(address))
        case .key(_, let origin): self = ConnectionOrigin(origin)
        }
    }
}
