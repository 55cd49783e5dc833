import NIOCore

/// Stands next to the socket: tells a connection of the bytes that come and go, and of the socket's events, whatever version of HTTP is spoken
/// behind it. It does not read from a peer that does not read its answers.
final class ByteMeter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let connection: HTTPConnection
    private var context: ChannelHandlerContext?
    /// The socket's write buffer is full, or what was read waits.
    private var isPaused = false
    private var isHeld = false
    private var readIsHeld = false
    /// Since when the socket is read; `nil`: it takes no more, and so it is not read.
    private(set) var readSince: NIODeadline? = .distantPast

    init(_ connection: HTTPConnection) { self.connection = connection }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection.meter = self
        connection.begin()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        connection.finish()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.finish()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = Self.unwrapInboundIn(data).readableBytes
        connection.received(count)
        guard connection.takesRequests else { return connection.discard(count) }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        connection.readComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { connection.inputClosed() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        connection.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset, or a write to a closed socket. Nothing can be sent to the peer.
        connection.close(because: .reset)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        connection.sent(Self.unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    /// Writes no bytes, to learn when those before are with the socket.
    func writeNothing(_ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
        context.writeAndFlush(Self.wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: promise)
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        if isPaused || isHeld, connection.takesRequests { readIsHeld = true } else { context.read() }
    }

    /// - Parameter paused: whether the socket takes no more.
    func setPaused(_ paused: Bool) {
        if paused != isPaused { (isPaused, readSince) = (paused, paused ? nil : connection.now) }
        resume()
    }

    /// - Parameter held: whether what was read waits for an answer.
    func hold(_ held: Bool) {
        isHeld = held
        resume()
    }

    /// What still comes is read, and discarded.
    func readOn() {
        (isPaused, isHeld) = (false, false)
        resume()
    }

    private func resume() {
        guard readIsHeld, !(isPaused || isHeld) || !connection.takesRequests else { return }
        readIsHeld = false
        context?.read()
    }
}
