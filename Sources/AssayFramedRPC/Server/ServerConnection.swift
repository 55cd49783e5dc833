import AssayListening
import AssayRPC
import NIOCore

/// One connection of a server: frames in, calls to the handlers, answers out. Everything here runs on its event loop; handlers
/// reach it through the ``ReplyWriter``.
///
/// This file has the events of the socket. `ServerConnection+Calls.swift` has the frames, `+Timers` the timeouts, `+Held` the bytes
/// that are held for the peer, and `+Ending` the end.
final class ServerConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How far the connection is from its end. It only advances.
    enum Stage: Equatable {
        case serving
        /// GoAway is sent; calls in flight may finish until `due`.
        case leaving(GoAwayReason, due: NIODeadline)
        /// Every call is answered; the last bytes are on their way to the socket.
        case flushing
        /// The output is shut; the peer has until `due` to shut its side.
        case lingering(due: NIODeadline)
        case closed
    }

    let server: ServerState
    let outbox: Outbox
    /// Who makes its calls. What the connection itself holds is on the account of its own session.
    var sessions: RPCSessions
    let deadlineTimer: DeadlineTimer
    var context: ChannelHandlerContext?
    var stage = Stage.serving

    var splitter: FrameSplitter
    let dispatcher: CallDispatcher
    let executor: ConnectionExecutor
    /// One instant by both clocks, of the last read: the one of calls goes on while the machine sleeps.
    private var clocks = (uptime: NIODeadline.now(), instant: ContinuousClock.now)

    var now = NIODeadline.now()
    var opened = NIODeadline.now()
    /// When the last complete frame arrived or the last answer left; nil before the first frame.
    var lastFrame: NIODeadline?
    /// When the partial frame began.
    var partialSince: NIODeadline?
    var partialBytes = 0
    /// When the connection is closed in any case. Set with GoAway.
    var hardStop: NIODeadline?
    var writes: WriteTimeout
    /// Nil for a peer without a certificate.
    var certificate: PeerCertificateLifetime?
    var discarded = 0
    var inputIsClosed = false
    /// Since when the peer has not read what was written; nil while it reads.
    var unreadSince: NIODeadline?
    /// Bytes written since it was last looked whether the peer has read them.
    var unlooked = 0

    /// The place among the server's connections; nil before the beginning.
    private(set) var place: ConnectionPlace?

    /// The socket's write buffer is full, so nothing is read from the socket.
    private(set) var isPaused = false
    private var readIsHeld = false

    init(server: ServerState, peer: RPCPeer, loop: any EventLoop, certificate: PeerCertificateLifetime? = nil) {
        (self.server, self.certificate) = (server, certificate)
        (outbox, executor) = (Outbox(loop: loop), ConnectionExecutor(loop))
        sessions = RPCSessions(peer, in: server.service)
        deadlineTimer = DeadlineTimer(server.timers.wheel(of: loop))
        splitter = FrameSplitter(limit: server.limits.maxFrameBytes)
        dispatcher = CallDispatcher(
            server.service, to: ReplyWriter(outbox, limits: server.limits),
            maxInFlight: server.limits.maxInFlightPerConnection, executor: executor)
        writes = WriteTimeout(timeout: server.limits.socket.writeTimeout)
    }

    /// When an instant of a call's deadline comes.
    func uptime(of instant: ContinuousClock.Instant) -> NIODeadline { clocks.uptime + TimeAmount(instant - clocks.instant) }

    // MARK: Beginning and end

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        outbox.open { connection.value.flush() }
        deadlineTimer.fire = { [unowned self] in sweep() }
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        now = .now()
        opened = now
        let loop = context.eventLoop
        let connection = NIOLoopBound(self, eventLoop: loop)
        let (entry, place) = server.register.enter(from: sessions.own.peer, as: sessions.own.identity) { ending in
            loop.execute { connection.value.end(ending) }
        }
        self.place = place
        switch entry {
        case .serve: armTimer()
        case .sendAway(let ending): end(ending)
        case .drop: end(.displaced)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish()
        self.context = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset, or a write to a closed socket. Nothing can be sent to the peer.
        close(because: EndReason.reset)
    }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = Self.unwrapInboundIn(data)
        // Before the other clock: a deadline may come late by the time between them, and never early.
        let arrived = ContinuousClock.now
        now = .now()
        guard takesFrames else { return discard(incoming.readableBytes) }
        let size = incoming.readableBytes
        server.register.count { $0.bytesReceived += size }
        clocks = (now, arrived)
        var isWhole = false
        do {
            while let frame = try splitter.next(from: &incoming) {
                isWhole = true
                try frame.withUnsafeReadableBytes { try receive($0, arrived) }
            }
        } catch {
            // Only the readers throw, and only GoAwayReason. The calls before the fault are valid.
            goAway((error as? GoAwayReason) ?? .undecodableFrame)
            discard(incoming.readableBytes)
            return
        }
        if isWhole {
            if lastFrame == nil { place?.advance(to: .requested) }
            lastFrame = now
        }
        notePartialFrame(isNew: isWhole)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        dispatcher.dispatch()
        armTimer()
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? ChannelEvent == .inputClosed else { return context.fireUserInboundEventTriggered(event) }
        inputIsClosed = true
        forgetPartialFrame()
        dispatcher.dispatch()
        outbox.add()
    }

    // MARK: Output

    /// Writes what waits in the outbox to the socket, unless the socket is full.
    func flush() {
        guard let context, stage != .closed else { return }
        now = .now()
        let batch = outbox.take(bytes: context.channel.isWritable)
        dispatcher.answered(batch.answered)
        if !batch.answered.isEmpty, lastFrame != nil { lastFrame = now }
        let size = batch.bytes.readableBytes
        if size > 0 {
            writes.wrote(size, at: now)
            server.register.count { $0.bytesSent += size }
            context.writeAndFlush(Self.wrapOutboundOut(batch.bytes), promise: nil)
            armTimer()
        }
        guard outbox.waitingBytes <= server.limits.socket.maxOutboundBytes else {
            return close(because: EndReason.outboundOverflow)
        }
        noteUnreadAnswers(context, written: size)
        setPaused(!context.channel.isWritable)
        if inputIsClosed, case .lingering = stage { return close(because: nil) }
        finishIfDone()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        flush()
        context.fireChannelWritabilityChanged()
    }

    /// The only place where reading is suspended: the server does not read from a peer that does not read its answers.
    func read(context: ChannelHandlerContext) {
        if isPaused, takesFrames {
            readIsHeld = true
        } else {
            context.read()
        }
    }

    private func setPaused(_ paused: Bool) {
        guard paused != isPaused else { return }
        isPaused = paused
        if !paused {
            // The peer could not send while the server did not read.
            now = .now()
            if partialSince != nil { partialSince = now }
            lastFrame = lastFrame.map { max($0, now) }
        }
        resumeReading()
    }

    func resumeReading() {
        guard readIsHeld, !(isPaused && takesFrames) else { return }
        readIsHeld = false
        context?.read()
    }
}
