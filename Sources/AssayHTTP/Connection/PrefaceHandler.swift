import NIOCore

/// Finds out which version of HTTP a peer speaks, by its first bytes: HTTP/2 begins with a preface of its own (RFC 9113 §3.4), and everything else is read
/// as HTTP/1.1. Then it lets the handlers of the version take its place.
final class PrefaceHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let connection: HTTPConnection
    private var bytes = ByteBuffer()

    init(_ connection: HTTPConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = Self.unwrapInboundIn(data)
        bytes.writeBuffer(&incoming)
        let count = min(bytes.readableBytes, Self.preface.count)
        let isHTTP2 = bytes.readableBytesView.prefix(count).elementsEqual(Self.preface.prefix(count))
        // A beginning of the preface may become one.
        guard count == Self.preface.count || !isHTTP2 else { return }
        let pipeline = context.pipeline.syncOperations
        do {
            if isHTTP2 {
                try HTTP2Transport.add(to: context.channel, for: connection)
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
