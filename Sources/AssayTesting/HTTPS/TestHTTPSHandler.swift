import NIOCore
import NIOHTTP1

/// One connection of the test server.
final class TestHTTPSHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let reference: ServerReference
    private var connection = 0
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ reference: ServerReference) { self.reference = reference }

    func handlerAdded(context: ChannelHandlerContext) { connection = reference.server?.opened(context.channel) ?? 0 }

    func channelInactive(context: ChannelHandlerContext) {
        reference.server?.closed(connection)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let part): body += part.readableBytesView
        case .end: if let head { answer(head, context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request = TestHTTPSRequest(
            method: head.method.rawValue, path: head.uri,
            headers: head.headers.map { TestHTTPSRequest.Header(name: $0.name, value: $0.value) }, body: body,
            connection: connection)
        guard let answer = reference.server?.take(request) else { return context.close(promise: nil) }
        guard answer.delay > .zero || answer.gate != nil else { return send(answer, to: head, context) }
        let (bound, loop) = (NIOLoopBound((self, context), eventLoop: context.eventLoop), context.eventLoop)
        let later: @Sendable () -> Void = {
            loop.scheduleTask(in: TimeAmount(answer.delay)) {
                let (handler, context) = bound.value
                handler.send(answer, to: head, context)
            }
        }
        if let gate = answer.gate { gate.pass(later) } else { later() }
    }

    private func send(_ answer: TestHTTPSAnswer, to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch answer.ending {
        case .silent: return
        case .hungUp: return context.close(promise: nil)
        case .whole, .cutShort, .stalled: break
        }
        var head = HTTPResponseHead(version: request.version, status: HTTPResponseStatus(statusCode: answer.status))
        for (name, value) in answer.headers { head.headers.add(name: name, value: value) }
        // These have no body (RFC 9110 §6.4.1).
        let hasBody = answer.status != 204 && answer.status != 304
        if hasBody { head.headers.replaceOrAdd(name: "content-length", value: "\(answer.body.count)") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let sent = answer.ending == .whole ? answer.body[...] : answer.body.prefix(answer.body.count / 2)
        if hasBody { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: sent)))), promise: nil) }
        switch answer.ending {
        case .whole: context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .cutShort:
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))).whenComplete { _ in
                bound.value.close(promise: nil)
            }
        default: context.flush()
        }
    }
}
