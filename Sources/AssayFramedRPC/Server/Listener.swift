package import AssayRPC
package import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One listening socket of a server.
struct Listener: Sendable {
    /// With the port that the kernel chose.
    let address: RPCAddress
    private let channel: any Channel
    private let file: UnixSocketFile?

    /// How long accepting pauses after an error such as a lack of descriptors or memory, when the next attempt would fail too. The
    /// listener stays open.
    static let acceptPause = TimeAmount.milliseconds(100)
    /// Connections that the kernel keeps until they are accepted.
    static let backlog: Int32 = 1024

    static func open(
        _ address: RPCAddress, _ group: any EventLoopGroup, _ server: ServerState, _ tls: ServerTLS?,
        requiresCertificate: Bool = true
    ) async throws(RPCBindError) -> Listener {
        let tls = try Self.tls(of: address, tls)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { _ in Self.acceptPause })
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // One read of a connection before the next connection: a loop serves many, and large frames take time.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
            .childChannelInitializer { channel in
                RPCPeer.of(channel).flatMapThrowing { peer in
                    if case .tcp = peer { try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1) }
                    let pipeline = channel.pipeline.syncOperations
                    guard let tls else {
                        return try pipeline.addHandler(ServerConnection(server: server, peer: peer, loop: channel.eventLoop))
                    }
                    guard case .tcp(let address, let port, _) = peer else { throw ChannelError.operationUnsupported }
                    let (handler, trust) = tls.handshake(requiresCertificate: requiresCertificate)
                    try pipeline.addHandlers(
                        handler,
                        TLSHandshakeHandler(
                            server: server, tls: tls, trust: trust, address: address, port: port,
                            requiresCertificate: requiresCertificate))
                }
            }
        switch address {
        case .tcp(let host, let port), .tls(let host, let port):
            let channel = try await AddressBinding.bound(address) { try await bootstrap.bind(host: host, port: port).get() }
            return Listener(
                address: address.withPort(channel.localAddress?.port ?? port), channel: channel, file: nil)
        case .unix(let path, let mode):
            let (file, descriptor) = try AddressBinding.claim(address, path, mode)
            do throws(RPCBindError) {
                let channel = try await AddressBinding.bound(address) { try await Self.listen(bootstrap, descriptor) }
                return Listener(address: address, channel: channel, file: file)
            } catch {
                file.remove()
                throw error
            }
        }
    }

    /// Accepts no more connections, and removes the socket file.
    func close() async {
        file?.remove()
        try? await channel.close().get()
    }

    /// Listens at a bound socket. SwiftNIO ignores the backlog option there; a second listen(2) sets it, on the channel's loop, where
    /// the channel cannot be closed meanwhile.
    private static func listen(_ bootstrap: ServerBootstrap, _ descriptor: Int32) async throws -> any Channel {
        let channel = try await bootstrap.withBoundSocket(descriptor).get()
        do {
            try await channel.eventLoop.submit {
                guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
                try UnixSocketFile.setBacklog(descriptor, Self.backlog)
            }.get()
        } catch {
            try? await channel.close().get()
            throw error
        }
        return channel
    }

    /// The TLS of an address; nil for one without TLS.
    private static func tls(of address: RPCAddress, _ tls: ServerTLS?) throws(RPCBindError) -> ServerTLS? {
        guard case .tls = address else { return nil }
        guard let tls else { throw RPCBindError(address, .unavailable("there is no certificate to show")) }
        return tls
    }
}

extension RPCPeer {
    /// The peer of an accepted channel. Fails if the kernel does not say.
    package static func of(_ channel: any Channel) -> EventLoopFuture<RPCPeer> {
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
    package static func isLoopback(_ address: String) -> Bool {
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }
}
