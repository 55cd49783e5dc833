/// Who is at the other end of a connection, as the kernel or a verified certificate says.
package enum RPCPeer: Hashable, Sendable, CustomStringConvertible {
    /// The credentials of the process that connected to a Unix socket (`SO_PEERCRED`), at the time it connected.
    case unix(userID: UInt32, groupID: UInt32, processID: Int32)
    /// A numeric address without brackets. IPv4-mapped IPv6 addresses keep their form; `isLoopback` sees through it.
    case tcp(address: String, port: Int, isLoopback: Bool)
    /// The owner of the certificate that was verified in the handshake, at a numeric address without brackets.
    case tls(address: String, port: Int, names: RPCPeerNames)

    package var description: String {
        switch self {
        case .unix(let user, let group, let process): "unix uid=\(user) gid=\(group) pid=\(process)"
        case .tcp(let address, let port, _): "tcp \(address) port \(port)"
        case .tls(let address, let port, let names): "tls \(address) port \(port) \(names)"
        }
    }
}
