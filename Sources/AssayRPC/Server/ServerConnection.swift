import NIOCore

/// One connection of a server: frames in, calls out to the handlers, answers back. Everything here runs on its event loop;
/// handlers reach it through the ``ReplyWriter``.
///
/// This file is what the socket does to the connection. What frames do is in `ServerConnection+Calls.swift`, what time does in
/// `+Timers`, and how it ends in `+Ending`.
final class ServerConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How far the connection is from its end. It only goes forward.
    enum Stage: Equatable {
        case serving
        /// GoAway is sent; calls in flight are finished until `due`.
        case leaving(GoAwayReason, due: NIODeadline)
        /// Every answer is given; the last bytes are on their way to the socket.
        case flushing
        /// The output is shut; the peer has until `due` to shut its side.
        case lingering(due: NIODeadline)
        case closed
    }

    struct InFlight {
        let call: RPCCall
        let due: NIODeadline?
        var task: CallTask?
    }

    let server: ServerState
    let outbox: Outbox
    let replies: ReplyWriter
    /// What the connection's caller holds, here and elsewhere.
    let usage: CallerUsage
    let deadlineTimer: DeadlineTimer
    var context: ChannelHandlerContext?
    var stage = Stage.serving

    var splitter: FrameSplitter
    var table: MethodTable
    /// Calls without their last frame, by id.
    var calls: [UInt64: InFlight] = [:]
    /// No call in flight has an earlier deadline. Calls that are answered leave it as it is until the alarm looks.
    var earliestDeadline: NIODeadline?
    /// Calls that handlers have not let go of. More than `calls` while handlers notice that theirs were abandoned.
    var held = 0
    /// Calls of the read burst that are not yet handed to workers, and the method they name.
    var burst: [RPCCall] = []
    var burstMethod = 0
    /// The methods that the peer may call, as far as it has been asked; empty before the first call.
    var permitted: [Bool] = []
    /// As ``RPCAccess/version`` was when that was asked.
    var permittedVersion = 0

    var now = NIODeadline.now()
    var opened = NIODeadline.now()
    /// When the last whole frame came or the last answer left; nil before the first frame.
    var lastFrame: NIODeadline?
    /// When the frame that is not whole yet began.
    var partialSince: NIODeadline?
    var partialBytes = 0
    /// When the connection is closed whatever is still going on. Set with GoAway.
    var hardStop: NIODeadline?
    var writes: WriteTimeout
    /// Nil where no certificate vouches for the peer.
    var term: PeerCertificateLifetime?
    var discarded = 0
    var inputIsClosed = false
    /// Since when the peer has not taken what was written; nil while it does.
    var unreadSince: NIODeadline?

    /// The socket takes no more, so nothing more is read from it.
    private(set) var isPaused = false
    private var readIsHeld = false

    init(server: ServerState, peer: RPCPeer, loop: any EventLoop, term: PeerCertificateLifetime? = nil) {
        (self.server, self.term) = (server, term)
        outbox = Outbox(loop: loop)
        usage = server.callers.usage(of: PeerIdentity(peer, server.access))
        replies = ReplyWriter(peer: peer, usage: usage, outbox: outbox, admission: server.admission, limits: server.limits)
        deadlineTimer = DeadlineTimer(server.clock(of: loop))
        splitter = FrameSplitter(limit: server.limits.maxFrameBytes)
        table = MethodTable(server.methods)
        writes = WriteTimeout(timeout: server.limits.writeTimeout)
    }

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
        let welcome = server.connectionLimiter.enter(ObjectIdentifier(self), of: usage.identity) { reason in
            loop.execute { connection.value.goAway(reason) }
        }
        switch welcome {
        case .serve: armTimer()
        case .sendAway(let reason): goAway(reason)
        case .drop: close(because: GoAwayReason.tooManyConnections.rawValue)
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
        // A reset, or a write that nobody takes any more. There is nobody to tell.
        close(because: EndReason.reset)
    }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = Self.unwrapInboundIn(data)
        now = .now()
        guard takesFrames else { return discard(incoming.readableBytes) }
        let size = incoming.readableBytes
        server.count { $0.bytesReceived += size }
        let arrived = ContinuousClock.now
        var isWhole = false
        do {
            while let frame = try splitter.next(from: &incoming) {
                isWhole = true
                try frame.withUnsafeReadableBytes { try receive($0, arrived) }
            }
        } catch {
            // Only the readers throw, and only this. The calls before the fault are good.
            goAway((error as? GoAwayReason) ?? .undecodableFrame)
            discard(incoming.readableBytes)
            return
        }
        if isWhole { lastFrame = now }
        notePartialFrame(isNew: isWhole)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        dispatch()
        armTimer()
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? ChannelEvent == .inputClosed else { return context.fireUserInboundEventTriggered(event) }
        inputIsClosed = true
        forgetPartialFrame()
        dispatch()
        outbox.add()
    }

    // MARK: Output

    /// Takes what waits in the outbox to the socket, unless that is full.
    func flush() {
        guard let context, stage != .closed else { return }
        now = .now()
        let batch = outbox.take(bytes: context.channel.isWritable)
        for id in batch.answered { calls[id] = nil }
        if !batch.answered.isEmpty, lastFrame != nil { lastFrame = now }
        held -= batch.freed.calls
        server.admission.release(batch.freed, of: usage)
        let size = batch.bytes.readableBytes
        if size > 0 {
            writes.wrote(size, at: now)
            server.count { $0.bytesSent += size }
            context.writeAndFlush(Self.wrapOutboundOut(batch.bytes), promise: nil)
            armTimer()
        }
        guard outbox.waitingBytes <= server.limits.maxOutboundBytes else { return close(because: EndReason.outboundOverflow) }
        noteUnreadAnswers(context)
        setPaused(!context.channel.isWritable)
        if inputIsClosed, case .lingering = stage { return close(because: nil) }
        finishIfDone()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        flush()
        context.fireChannelWritabilityChanged()
    }

    /// The one place where reading is held back: a peer that does not read its answers is not read either.
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
            // The peer could not send while we did not read.
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
