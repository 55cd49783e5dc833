import AssayRPC
import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension RPCPeer {
    /// The peer of an accepted channel. Fails if the kernel does not say.
    static func of(_ channel: any Channel) -> EventLoopFuture<RPCPeer> {
        if let remote = channel.remoteAddress, let address = remote.ipAddress, let port = remote.port {
            let peer = RPCPeer.tcp(address: address, port: port, isLoopback: isLoopback(address))
            return channel.eventLoop.makeSucceededFuture(peer)
        }
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let credentials: EventLoopFuture<Credentials> = socket.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: SO_PEERCRED))
        return credentials.map { .unix(userID: $0.userID, groupID: $0.groupID, processID: $0.processID) }
    }

    /// `struct ucred` of unix(7), which the module map does not export.
    private struct Credentials {
        let processID: Int32
        let userID: UInt32
        let groupID: UInt32
    }

    /// The forms in which inet_ntop(3) writes 127.0.0.0/8, ::1, and the former mapped into IPv6 (RFC 4291 §2.5.5.2).
    private static func isLoopback(_ address: String) -> Bool {
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }
}
