import NIOCore

/// Stands between the socket and NIO's handler of HTTP/2, for three things that this does not do: it says nothing of a head that it has in part, once
/// it has written GOAWAY it refuses every new stream, also those that the client opens before it knows, and it has no way to let another handler take
/// over.
final class BelowFrames: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    private let connection: HTTPConnection
    private var context: ChannelHandlerContext?
    private var blocks = HeaderBlocks()

    init(_ connection: HTTPConnection) { self.connection = connection }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Since when a head has come in part.
    var headSince: NIODeadline? { blocks.openSince }

    /// What a later handler of frames must know; `nil`: it cannot take over now.
    var history: FrameHistory? { blocks.isBetweenFrames && blocks.history.isWhole ? blocks.history : nil }

    /// Whether there may be a history to take over with.
    var hasHistory: Bool { !blocks.history.isLost }

    /// A frame was refused: what it did is not repeated.
    func forgetHistory() { blocks.forgetHistory() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        blocks.read(Self.unwrapInboundIn(data), at: connection.now)
        context.fireChannelRead(data)
    }

    /// Writes the GOAWAY of a graceful end. Called between two frames.
    func announceEnd(_ reason: HTTPEndReason) {
        context?.write(Self.wrapOutboundOut(.byteBuffer(ControlFrame.announcement(of: reason))), promise: nil)
    }
}
