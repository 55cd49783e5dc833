import Foundation
import Logging
import NIOCore
import NIOPosix
import NIOSSL

@testable import AssayListening
@testable import AssayRPC

/// A protocol that tells each peer who it is, and then answers every byte with itself.
struct EchoProtocol: ConnectionProtocol {
    let register: ConnectionRegister
    var offer = TLSOffer([], isRequired: false)
    var requiresCertificates = true

    func requiresCertificate(of peer: RPCPeer, at address: RPCAddress) -> Bool { requiresCertificates }

    func serve(_ connection: AcceptedConnection) throws {
        let channel = connection.channel
        let (entry, place) = register.enter(from: connection.peer, as: PeerIdentity(connection.peer)) { _ in
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in place.leave() }
        guard entry == .serve else { throw ChannelError.ioOnClosedChannel }
        try channel.pipeline.syncOperations.addHandler(Echo())
        let who = if case .tls(_, _, let names) = connection.peer { "\(names)" } else { "plain" }
        channel.writeAndFlush(ByteBuffer(string: who + "\n"), promise: nil)
    }

    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
    }
}

/// What a client of ``EchoProtocol`` heard until the server ended the connection, or until it heard what it waits for.
final class EchoClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let expected: String?
    private let end: EventLoopPromise<String>
    private var heard = ""

    private init(_ expected: String?, _ end: EventLoopPromise<String>) { (self.expected, self.end) = (expected, end) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heard += String(buffer: Self.unwrapInboundIn(data))
        if heard == expected { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func handlerRemoved(context: ChannelHandlerContext) { end.succeed(heard) }

    /// Connects, says a text, and returns what it hears.
    static func say(
        _ text: String, to address: RPCAddress, until expected: String?, tls: TLSConfiguration? = nil
    ) async throws -> String {
        let group = MultiThreadedEventLoopGroup.singleton
        let end = group.next().makePromise(of: String.self)
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let bootstrap = ClientBootstrap(group: group).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if let context { try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost")) }
                try pipeline.addHandler(EchoClient(expected, end))
            }
        }
        let channel: any Channel
        do {
            channel =
                switch address {
                case .tcp(let host, let port), .tls(let host, let port):
                    try await bootstrap.connect(host: host, port: port).get()
                case .unix(let path, _): try await bootstrap.connect(unixDomainSocketPath: path).get()
                }
        } catch {
            end.succeed("")
            throw error
        }
        try? await channel.writeAndFlush(ByteBuffer(string: text)).get()
        return try await end.futureResult.get()
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }) }
}

/// A path for a socket, in no one's way.
func socketPath() -> String { "/tmp/assay-listening-\(UUID().uuidString.prefix(8)).sock" }
