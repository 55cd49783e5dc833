import AssaySimulator
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization
import Testing

@testable import AssayHTTPClient

/// A server of HTTP/2 over TLS that answers each POST by the head of a stream of Connect, and by nothing more until a test says so. Once a test has
/// made it deaf, it reads nothing, as a machine that is gone.
final class HTTP2StreamServer: Sendable {
    private struct State {
        var channels: [any Channel] = []
        var streams: [(channel: any Channel, id: HTTP2StreamID)] = []
        var pings = 0
    }

    private let state: Mutex<State>
    private let listener: any Channel
    private let authority: TestTLSAuthority

    /// Runs it around `body`, and stops it.
    static func run(_ body: (HTTP2StreamServer) async throws -> Void) async throws {
        let server = try await HTTP2StreamServer()
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private init() async throws {
        let authority = try TestTLSAuthority("server CA")
        let issued = try authority.issue(.server, names: [.dns("localhost")])
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(issued.certificate.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKey.utf8), format: .pem)))
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let inbox = Inbox()
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(NIOHTTP2Handler(mode: .server))
                    try pipeline.addHandler(FrameHandler(inbox))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        state = Mutex(State())
        self.authority = authority
        inbox.server = self
    }

    /// A channel to it.
    func connect(_ limits: HTTPChannelLimits) async throws -> HTTPChannel {
        let address = try #require(HTTPAddress(parsing: "https://localhost:\(listener.localAddress?.port ?? 0)"))
        let tls = try HTTPClientTLS(authorities: Array(authority.pem.utf8), identity: nil)
        return try await HTTPChannel.connect(to: address, limits: limits, tls: tls)
    }

    /// The pings that it has answered.
    var pings: Int { state.withLock { $0.pings } }
    /// The streams that have begun.
    var streamCount: Int { state.withLock { $0.streams.count } }

    /// Reads nothing from now on.
    func becomeDeaf() async throws {
        for channel in state.withLock({ $0.channels }) { try await channel.setOption(.autoRead, value: false).get() }
    }

    /// Ends the streams.
    func end(_ bytes: [UInt8]) {
        for (channel, id) in state.withLock({ $0.streams }) {
            channel.writeAndFlush(
                HTTP2Frame(
                    streamID: id, payload: .data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: true))),
                promise: nil)
        }
    }

    private func stop() async {
        try? await listener.close()
        for channel in state.withLock({ $0.channels }) { try? await channel.close() }
    }

    fileprivate func opened(_ channel: any Channel) { state.withLock { $0.channels.append(channel) } }
    fileprivate func pinged() { state.withLock { $0.pings += 1 } }
    fileprivate func began(_ id: HTTP2StreamID, of channel: any Channel) { state.withLock { $0.streams.append((channel, id)) } }

    /// The server, which is made after it listens.
    private final class Inbox: Sendable {
        private struct Reference { weak var server: HTTP2StreamServer? }
        private let reference = Mutex(Reference())

        var server: HTTP2StreamServer? {
            get { reference.withLock { $0.server } }
            set { reference.withLock { $0.server = newValue } }
        }
    }

    private final class FrameHandler: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        typealias OutboundOut = HTTP2Frame

        private let inbox: Inbox

        init(_ inbox: Inbox) { self.inbox = inbox }

        func channelActive(context: ChannelHandlerContext) {
            inbox.server?.opened(context.channel)
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = Self.unwrapInboundIn(data)
            switch frame.payload {
            case .ping(_, ack: false): inbox.server?.pinged()
            case .headers(let headers):
                let isCall = headers.headers.first(name: ":method") == "POST"
                let head: HPACKHeaders =
                    isCall ? [":status": "200", "content-type": "application/connect+proto"] : [":status": "404"]
                context.writeAndFlush(
                    Self.wrapOutboundOut(
                        HTTP2Frame(streamID: frame.streamID, payload: .headers(.init(headers: head, endStream: !isCall)))),
                    promise: nil)
                if isCall { inbox.server?.began(frame.streamID, of: context.channel) }
            default: break
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
