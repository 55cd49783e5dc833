import NIOCore

/// Finds out which version of HTTP a peer speaks, by its first bytes: HTTP/2 begins with a preface of its own (RFC 9113 §3.4), and everything else is read
/// as HTTP/1.1. Then it lets the handlers of the version take its place.
final class PrefaceHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: HTTPConnection
    private var bytes = ByteBuffer()

    init(_ connection: HTTPConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = Self.unwrapInboundIn(data)
        bytes.writeBuffer(&incoming)
        let preface = FramesBeforeCalls.preface
        let count = min(bytes.readableBytes, preface.count)
        let isHTTP2 = bytes.readableBytesView.prefix(count).elementsEqual(preface.prefix(count))
        // A beginning of the preface may become one.
        guard count == preface.count || !isHTTP2 else { return }
        let pipeline = context.pipeline.syncOperations
        do {
            if isHTTP2 {
                try pipeline.addHandler(IdleHTTP2Handler(connection))
            } else {
                try HTTP1Transport.add(to: context.channel, for: connection)
            }
        } catch {
            return connection.close(because: .protocolError)
        }
        context.fireChannelRead(Self.wrapInboundOut(bytes))
        bytes.clear()
        pipeline.removeHandler(self, promise: nil)
    }
}
