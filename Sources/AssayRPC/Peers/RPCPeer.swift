/// The other end of a connection, as the kernel or a verified certificate says.
package enum RPCPeer: Hashable, Sendable, CustomStringConvertible {
    /// The credentials of the process that connected to a Unix socket (`SO_PEERCRED`), at the time it connected.
    case unix(userID: UInt32, groupID: UInt32, processID: Int32)
    /// A numeric address without brackets. An IPv4 address that is mapped into IPv6 keeps its form; `isLoopback` counts for both.
    case tcp(address: String, port: Int, isLoopback: Bool)
    /// The owner of the certificate that the handshake verified, at a numeric address without brackets.
    case tls(address: String, port: Int, names: RPCPeerNames)
    /// A peer that showed an API key in its calls, over TLS or at a Unix socket. `name` is the key's, `origin` what the peer was before.
    indirect case key(name: String, origin: RPCPeer)

    package var description: String {
        switch self {
        case .unix(let user, let group, let process): "unix uid=\(user) gid=\(group) pid=\(process)"
        case .tcp(let address, let port, _): "tcp \(address) port \(port)"
        case .tls(let address, let port, let names): "tls \(address) port \(port) \(names)"
        case .key(let name, let origin): "key \(name) \(origin)"
        }
    }
}

extension RPCPeer {
    /// The peer as a proxy that is believed passes it on: what is known of its identity stays that of the connection. An address that is passed on is never
    /// loopback, since nothing of this machine stands behind it; at a Unix socket it changes nothing.
    package func comingFrom(_ address: String) -> RPCPeer {
        switch self {
        case .unix: self
        case .tcp: .tcp(address: address, port: 0, isLoopback: false)
        case .tls(_, _, let names): .tls(address: address, port: 0, names: names)
        case .key(let name, let origin): .key(name: name, origin: origin.comingFrom(address))
        }
    }
}

/// The names in a verified certificate. Opaque: compared as bytes, never normalised, no wildcards.
package struct RPCPeerNames: Hashable, Sendable {
    /// SPIFFE ids included.
    package let uris: [String]
    package let dnsNames: [String]

    package init(uris: [String], dnsNames: [String]) { (self.uris, self.dnsNames) = (uris, dnsNames) }
}

extension RPCPeerNames: CustomStringConvertible {
    package var description: String {
        let all = uris.map { "uri=" + $0 } + dnsNames.map { "dns=" + $0 }
        return all.isEmpty ? "no name" : all.joined(separator: " ")
    }
}

/// The identity under which connections and calls are counted together.
package enum PeerIdentity: Hashable, Sendable, CustomStringConvertible {
    /// A caller of the configuration, however it is recognised.
    case caller(String)
    case user(UInt32)
    case names(RPCPeerNames)
    /// A peer that shows nothing but its address.
    case address(CountedAddress)

    package init(_ peer: RPCPeer) {
        switch peer {
        case .unix(let userID, _, _): self = .user(userID)
        case .tcp(let address, _, _): self = .address(CountedAddress(address))
        case .tls(let address, _, let names) where names == RPCPeerNames(uris: [], dnsNames: []):
            self = .address(CountedAddress(address))
        case .tls(_, _, let names): self = .names(names)
        case .key(let name, _): self = .caller(name)
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
        case .address(let address): address.description
        }
    }
}

/// The questions of a front about its peers. Fronts know connections; the services know callers.
package struct RPCAccess: Sendable {
    /// The name of the caller that a peer belongs to. Connections and calls of peers with one name are counted together. Nil: the
    /// peer is counted by what it shows: a user, the names in a certificate, or an address. Asked once for each session.
    package let caller: @Sendable (RPCPeer) -> String?
    /// Why a peer may not call the method of that path at all; nil: it may. Asked on an event loop, before the call holds anything
    /// or waits. A session asks once for each method and ``version`` that permit the call, and for each call that is refused.
    package let refusal: @Sendable (RPCPeer, String) -> RPCError?
    /// Who a peer is that shows a credential (the value of `authorization`) in a call; or why it is refused. Asked on an event loop, for
    /// the first call of a connection that shows it.
    package let identify: @Sendable (RPCPeer, String) -> Result<RPCPeer, RPCError>
    /// Changes after the answers of ``refusal`` have changed.
    package let version: @Sendable () -> Int

    package init(
        caller: @escaping @Sendable (RPCPeer) -> String?, refusal: @escaping @Sendable (RPCPeer, String) -> RPCError?,
        identify: @escaping @Sendable (RPCPeer, String) -> Result<RPCPeer, RPCError> = { _, _ in .failure(.credentialRefused) },
        version: @escaping @Sendable () -> Int
    ) {
        (self.caller, self.refusal, self.identify, self.version) = (caller, refusal, identify, version)
    }

    /// Every peer may call every method.
    package static let open = RPCAccess(caller: { _ in nil }, refusal: { _, _ in nil }, version: { 0 })
}
