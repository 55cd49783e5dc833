import AssayFramedRPC
import AssayRPC
import NIOCore
import NIOPosix

/// One listening socket of the operations address.
struct OperationsListener: Sendable {
    /// With the port that the kernel chose.
    let address: RPCAddress
    private let channel: any Channel
    private let file: UnixSocketFile?

    private static let backlog: Int32 = 128
    /// How long accepting pauses after an error such as a lack of descriptors, when the next attempt would fail too.
    private static let acceptPause = TimeAmount.milliseconds(100)

    static func open(
        _ address: RPCAddress, _ group: any EventLoopGroup, _ service: OperationsConnectionService, takesKeys: Bool
    ) async throws(RPCBindError) -> OperationsListener {
        var isTLS = false
        if case .tls = address {
            guard service.tls != nil else { throw RPCBindError(address, .unavailable("there is no certificate to show")) }
            isTLS = true
        }
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { _ in acceptPause })
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { [isTLS] channel in service.serve(channel, isTLS: isTLS, takesKeys: takesKeys) }
        switch address {
        case .tcp(let host, let port), .tls(let host, let port):
            let channel = try await AddressBinding.bound(address) { try await bootstrap.bind(host: host, port: port).get() }
            return OperationsListener(
                address: address.withPort(channel.localAddress?.port ?? port), channel: channel, file: nil)
        case .unix(let path, let mode):
            let (file, descriptor) = try AddressBinding.claim(address, path, mode)
            do throws(RPCBindError) {
                let channel = try await AddressBinding.bound(address) { try await bootstrap.withBoundSocket(descriptor).get() }
                return OperationsListener(address: address, channel: channel, file: file)
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
}
