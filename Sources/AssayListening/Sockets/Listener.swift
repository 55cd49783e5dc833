import AssayRPC
import NIOCore
import NIOPosix

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

    /// - Parameter address: as it was configured.
    static func open(
        _ address: RPCAddress, _ group: any EventLoopGroup, _ register: ConnectionRegister, _ tls: ServerTLS?,
        _ served: any ConnectionProtocol
    ) async throws(RPCBindError) -> Listener {
        let tls = try Self.tls(of: address, tls, served.offer)
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
            // Each connection keeps its last buffer for reading. It grows with what comes, up to 64 KiB.
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 64 << 10)
            )
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
            .childChannelInitializer { channel in
                RPCPeer.of(channel).flatMapThrowing { peer in
                    if case .tcp = peer { try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1) }
                    guard let tls else {
                        return try served.serve(AcceptedConnection(channel: channel, peer: peer, certificate: nil))
                    }
                    guard case .tcp(let host, let port, _) = peer else { throw ChannelError.operationUnsupported }
                    let origin = HandshakeHandler.Origin(
                        address: host, port: port, requiresCertificate: served.requiresCertificate(of: peer, at: address))
                    let (handler, trust) = try tls.handshake(served.offer, requiresCertificate: origin.requiresCertificate)
                    try channel.pipeline.syncOperations.addHandlers(
                        handler, HandshakeHandler(served, from: origin, register, tls, trust))
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
    private static func tls(of address: RPCAddress, _ tls: ServerTLS?, _ offer: TLSOffer) throws(RPCBindError) -> ServerTLS? {
        guard case .tls = address else { return nil }
        guard let tls, tls.offers.contains(offer) else {
            throw RPCBindError(address, .unavailable("there is no certificate to show"))
        }
        return tls
    }
}
