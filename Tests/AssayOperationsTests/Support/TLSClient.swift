import NIOCore
import NIOPosix
import NIOSSL

/// A client of the operations address over TLS that keeps its connection.
struct TLSClient {
    private let channel: any Channel
    private let answers: NIOLoopBound<Answers>

    static func connect(to port: Int, _ configuration: TLSConfiguration) async throws -> TLSClient {
        let context = try NIOSSLContext(configuration: configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let answers = try await loop.submit { NIOLoopBound(Answers(), eventLoop: loop) }.get()
        let channel = try await ClientBootstrap(group: loop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers(
                    NIOSSLClientHandler(context: context, serverHostname: "localhost"), answers.value)
            }
        }.connect(host: "127.0.0.1", port: port).get()
        return TLSClient(channel: channel, answers: answers)
    }

    /// The whole text of an answer; what came of it where the server ended the connection first.
    func get(_ path: String) async throws -> String {
        let answers = answers
        return try await channel.eventLoop.flatSubmit { [channel] in
            let answer = channel.eventLoop.makePromise(of: String.self)
            answers.value.expect(answer)
            let request = ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            channel.writeAndFlush(request).whenFailure { _ in answers.value.end() }
            return answer.futureResult
        }.get()
    }

    func close() async { try? await channel.close().get() }

    /// One answer at a time, whole by its `Content-Length`.
    private final class Answers: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var text = ""
        private var waiting: EventLoopPromise<String>?
        private var isOver = false

        func expect(_ answer: EventLoopPromise<String>) {
            waiting = answer
            if isOver { end() }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: Self.unwrapInboundIn(data))
            guard let head = text.firstRange(of: "\r\n\r\n") else { return }
            let length = text[..<head.lowerBound].split(separator: "\r\n").lazy.map { $0.lowercased() }
                .first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst("content-length: ".count)) }
            if text[head.upperBound...].utf8.count == length { end() }
        }

        func channelInactive(context: ChannelHandlerContext) {
            isOver = true
            end()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        func end() {
            waiting?.succeed(text)
            (waiting, text) = (nil, "")
        }
    }
}
