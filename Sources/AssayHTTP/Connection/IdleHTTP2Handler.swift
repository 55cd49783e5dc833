import NIOCore
import NIOHTTP2

/// HTTP/2 before the first call of a connection.
///
/// NIO's handler of HTTP/2 takes some 30 KiB for tables that the first call needs, and any peer may hold a connection without one until the head
/// timeout. So it is made when something comes that is not settings, their acknowledgement or window for the connection. Until then this handler
/// says what the server says first, acknowledges the client's settings, and keeps what came. NIO's handler gets all of it, as if it had come just
/// then, and is the only judge of what is wrong; what it says for the second time does not reach the client.
final class IdleHTTP2Handler: ChannelDuplexHandler, RemovableChannelHandler, HTTPGoingAway {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let connection: HTTPConnection
    private var context: ChannelHandlerContext?
    /// All that came, the preface first.
    private var kept = ByteBuffer()
    private var frames = FramesBeforeCalls()
    private var hasPreamble = false
    private var acknowledged = 0
    /// Frames that the client has, and that NIO's handler is going to write.
    private var repeated: [ByteBuffer] = []

    init(_ connection: HTTPConnection) { self.connection = connection }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection.idle = self
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Self.unwrapInboundIn(data)
        let isShort = kept.readableBytes + bytes.readableBytes <= FramesBeforeCalls.mostBytes
        // A copy of its own: what came may be a part of a buffer that is much longer.
        kept.writeImmutableBuffer(bytes)
        guard isShort, frames.areAll(in: kept) else { return begin(context) }
        answer(context)
        if frames.isAnswered { connection.endIsKnown() }
    }

    /// Says what the client has to hear before its first call.
    private func answer(_ context: ChannelHandlerContext) {
        var answer = ByteBuffer()
        if !hasPreamble {
            for frame in HTTP2Preamble(connection.server.limits).frames { answer.writeImmutableBuffer(frame) }
            hasPreamble = true
        }
        for _ in acknowledged..<frames.settings { answer.writeImmutableBuffer(ControlFrame.settingsAcknowledged) }
        acknowledged = frames.settings
        guard answer.readableBytes > 0 else { return }
        context.writeAndFlush(Self.wrapOutboundOut(.byteBuffer(answer)), promise: nil)
    }

    /// Lets the handlers of the whole protocol take this one's place.
    private func begin(_ context: ChannelHandlerContext) {
        connection.idle = nil
        if hasPreamble {
            repeated = HTTP2Preamble(connection.server.limits).frames
            repeated += Array(repeating: ControlFrame.settingsAcknowledged, count: acknowledged)
        }
        do {
            try HTTP2Transport.add(to: context.channel, for: connection)
        } catch {
            return connection.close(because: .protocolError)
        }
        // NIO's handler writes its settings as it is added, and acknowledges those of the client as it reads them: all that is repeated is written
        // before this returns.
        context.fireChannelRead(Self.wrapInboundOut(kept))
        kept = ByteBuffer()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    // MARK: Out

    /// Drops what the client has. Each frame that belongs to the connection is one write of NIO's handler.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let frame) = Self.unwrapOutboundIn(data), frame == repeated.first else {
            return context.write(data, promise: promise)
        }
        repeated.removeFirst()
        promise?.succeed()
    }

    func announceEnd(_ reason: HTTPEndReason) -> Bool {
        frames.question = ControlFrame.question
        write(ControlFrame.announcement(of: reason))
        write(ControlFrame.ping(ControlFrame.question))
        return true
    }

    func goAway(_ reason: HTTPEndReason) {
        write(ControlFrame.goAway(lastStream: 0, code: UInt32(clamping: reason.code.networkCode), text: reason.rawValue))
    }

    private func write(_ frame: ByteBuffer) { context?.write(Self.wrapOutboundOut(.byteBuffer(frame)), promise: nil) }

    func flush() { context?.flush() }
}
