import AssayCore
package import AssayRPC
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
            let peer = RPCPeer.tcp(address: address, port: port, isLoopback: Loopback.contains(address))
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

    /// Whether it is a process of this machine: at a Unix socket, or with a loopback address.
    package var isOnThisMachine: Bool {
        switch self {
        case .unix: true
        case .tcp(_, _, let isLoopback): isLoopback
        case .tls(let address, _, _): Loopback.contains(address)
        case .key(_, let origin): origin.isOnThisMachine
        }
    }
}
