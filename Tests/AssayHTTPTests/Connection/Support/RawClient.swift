import AssayRPC
import AssayTesting
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A client that sends exactly the bytes that it is given, and keeps what it receives.
final class RawClient: Sendable {
    /// The server has ended the connection before the answer was whole.
    struct Ended: Error {}

    private let channel: any Channel
    private let heard: Heard

    /// - Parameter tls: how to speak TLS; `nil`: not at all.
    static func connect(to address: RPCAddress, tls: TLSConfiguration? = nil) async throws -> RawClient {
        let heard = Heard()
        let channel = try await TestConnection.open(to: address, tls: tls, halfCloses: true) { channel in
            try channel.pipeline.syncOperations.addHandler(HeardHandler(heard))
        }
        return RawClient(channel, heard)
    }

    private init(_ channel: any Channel, _ heard: Heard) { (self.channel, self.heard) = (channel, heard) }

    deinit { channel.close(promise: nil) }

    // MARK: Saying

    func say(_ text: String) async throws { try await say(Array(text.utf8)) }

    func say(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }

    /// Without waiting for the kernel to take it.
    func shout(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    func shutOutput() async throws { try await channel.close(mode: .output).get() }
    func close() async { try? await channel.close().get() }
    func setReading(_ isReading: Bool) async throws { try await channel.setOption(.autoRead, value: isReading).get() }

    // MARK: Hearing

    /// What was heard and not taken.
    var bytes: [UInt8] { heard.state.withLock { $0.bytes } }
    /// The server sends no more.
    var hasEnded: Bool { heard.state.withLock { $0.hasEnded } }

    /// Takes the next answer of HTTP/1.1.
    ///
    /// - Parameter isToHead: the request was HEAD, so that the answer has no body.
    func answer(isToHead: Bool = false) async throws -> HTTP1Answer {
        var answer: HTTP1Answer?
        try await eventually("an answer comes") {
            let hasEnded: Bool
            (answer, hasEnded) = try heard.state.withLock { state in
                guard let (answer, count) = try HTTP1Answer.first(in: state.bytes, isToHead: isToHead, state.hasEnded) else {
                    return (nil, state.hasEnded)
                }
                state.bytes.removeFirst(count)
                return (answer, state.hasEnded)
            }
            if answer == nil, hasEnded { throw Ended() }
            return answer != nil
        }
        guard let answer else { throw Ended() }
        return answer
    }

    /// Waits until the server sends no more.
    func end() async throws { try await eventually("the server ends") { hasEnded } }

    private final class Heard: Sendable {
        struct State {
            var bytes: [UInt8] = []
            var hasEnded = false
        }

        let state = Mutex(State())
    }

    private final class HeardHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let heard: Heard

        init(_ heard: Heard) { self.heard = heard }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Self.unwrapInboundIn(data).readableBytesView
            heard.state.withLock { $0.bytes += bytes }
        }

        func channelInactive(context: ChannelHandlerContext) { heard.state.withLock { $0.hasEnded = true } }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { heard.state.withLock { $0.hasEnded = true } }
        }
    }
}

/// The sockets of tests' clients.
enum TestConnection {
    static func open(
        to address: RPCAddress, tls: TLSConfiguration?, halfCloses: Bool,
        _ add: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: halfCloses)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: nil))
                    }
                    try add(channel)
                }
            }
        switch address {
        case .tcp(let host, let port), .tls(let host, let port):
            return try await bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1).connect(host: host, port: port).get()
        case .unix(let path, _):
            return try await bootstrap.connect(unixDomainSocketPath: path).get()
        }
    }
}
