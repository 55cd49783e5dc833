/// The other end of a connection, as the kernel or a verified certificate says.
package enum RPCPeer: Hashable, Sendable, CustomStringConvertible {
    /// The credentials of the process that connected to a Unix socket (`SO_PEERCRED`), at the time it connected.
    case unix(userID: UInt32, groupID: UInt32, processID: Int32)
    /// A numeric address without brackets. An IPv4 address that is mapped into IPv6 keeps its form; `isLoopback` counts for both.
    case tcp(address: String, port: Int, isLoopback: Bool)
    /// The owner of the certificate that the handshake verified, at a numeric address without brackets.
    case tls(address: String, port: Int, names: RPCPeerNames)

    package var description: String {
        switch self {
        case .unix(let user, let group, let process): "unix uid=\(user) gid=\(group) pid=\(process)"
        case .tcp(let address, let port, _): "tcp \(address) port \(port)"
        case .tls(let address, let port, let names): "tls \(address) port \(port) \(names)"
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
