import AssayListening
import AssayRPC
import NIOCore
import SwiftProtobuf

/// A client connection on its event loop: writes the frames of the outbox, and hands answers to the calls that wait.
final class ClientConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Stage: Equatable {
        case open
        /// No more calls; the output is shut when the last one has ended, and the channel closed at `due` at the latest.
        case leaving(due: NIODeadline)
        case shut(due: NIODeadline)
        case closed
    }

    private let limits: RPCConnectionLimits
    private let pending: PendingCalls
    private let outbox: Outbox
    private let budget: ItemBudget
    /// `nil`: the server begins no calls, and such frames are ignored.
    private let peerCalls: PeerCalls?
    private let deadlineTimer: DeadlineTimer
    private var context: ChannelHandlerContext?
    private var stage = Stage.open
    private var splitter: FrameSplitter
    /// Pings that are not answered. Beyond ``pingLimit`` a ping fails.
    private var pings: [(sent: NIODeadline, onPong: @Sendable (Result<Duration, RPCError>) -> Void)] = []
    /// When the last byte arrived.
    private var heard = NIODeadline.now()
    /// When the unanswered keep-alive ping was sent.
    private var asked: NIODeadline?
    private var readIsHeld = false
    private var writes: WriteTimeout

    static let pingLimit = 64

    init(
        limits: RPCConnectionLimits, pending: PendingCalls, outbox: Outbox, budget: ItemBudget, peerCalls: PeerCalls?,
        loop: any EventLoop
    ) {
        (self.limits, self.pending, self.outbox, self.budget) = (limits, pending, outbox, budget)
        self.peerCalls = peerCalls
        deadlineTimer = DeadlineTimer(TimerWheel(loop: loop))
        splitter = FrameSplitter(limit: limits.maxFrameBytes)
        writes = WriteTimeout(timeout: limits.writeTimeout)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        outbox.open { connection.value.flush() }
        deadlineTimer.fire = { [unowned self] in sweep() }
    }

    func channelActive(context: ChannelHandlerContext) {
        heard = .now()
        armTimer()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.connectionLost, isOrderly: true)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(.connectionLost)
        self.context = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(.connectionLost) }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = Self.unwrapInboundIn(data)
        heard = .now()
        asked = nil
        let beginsLikeTLS = incoming.beginsLikeTLS
        do {
            while stage != .closed, let frame = try splitter.next(from: &incoming) {
                try frame.withUnsafeReadableBytes { try receive($0) }
            }
        } catch {
            close(beginsLikeTLS ? .serverSpeaksTLS : .protocolBroken)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush()
        context.fireChannelReadComplete()
    }

    /// Handles one frame. Ignores kinds that are unknown or that a server does not send, and frames of calls that have ended.
    private func receive(_ bytes: UnsafeRawBufferPointer) throws(GoAwayReason) {
        let head = try FrameHead(parsing: bytes)
        switch head.kind {
        case .reply:
            try settle(head, bytes, .reply)
        case .end:
            try settle(head, bytes, .end)
        case .item:
            guard let queue = pending.queue(head.callID) else { return }
            queue.push(Array(bytes[try AnswerFields(.item, parsing: bytes, head.body).message]))
        case .ping:
            guard outbox.answer(atMost: limits.maxAnswerBytes, { $0.writePong() }) else { return close(.answersNotRead) }
        case .pong:
            guard !pings.isEmpty else { return }
            let ping = pings.removeFirst()
            ping.onPong(.success(Duration(heard - ping.sent)))
        case .goAway:
            let reason = try? Assay_Rpc_V1_GoAway(serializedBytes: Array(bytes[head.body])).reason
            pending.refuse(.goAway(reason ?? ""))
            leave()
        case .call:
            guard let peerCalls else { return }
            let isRead = try peerCalls.begin(head.callID, try CallFields(parsing: bytes, head.body), bytes)
            if !isRead { close(.answersNotRead) }
        case .cancel, nil:
            break
        }
    }

    private func settle(_ head: FrameHead, _ bytes: UnsafeRawBufferPointer, _ kind: FrameKind) throws(GoAwayReason) {
        let answer = try AnswerFields(kind, parsing: bytes, head.body)
        guard let waiter = pending.take(head.callID) else { return }
        waiter.settle(answer.error.map { .failure($0) } ?? .success(Array(bytes[answer.message])))
    }

    /// Suspends reading while the items that streams have not taken exceed the budget.
    func read(context: ChannelHandlerContext) {
        if budget.isFull {
            readIsHeld = true
        } else {
            context.read()
        }
    }

    private func resumeReading() {
        guard readIsHeld, !budget.isFull else { return }
        readIsHeld = false
        heard = .now()
        context?.read()
    }

    // MARK: Output

    func flush() {
        guard let context, stage != .closed else { return }
        let batch = outbox.take(bytes: context.channel.isWritable)
        peerCalls?.forget(batch.replied)
        if batch.bytes.readableBytes > 0 {
            writes.wrote(batch.bytes.readableBytes, at: .now())
            context.writeAndFlush(Self.wrapOutboundOut(batch.bytes), promise: nil)
        }
        shutIfDone()
        resumeReading()
        armTimer()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        flush()
        context.fireChannelWritabilityChanged()
    }

    func ping(_ onPong: @escaping @Sendable (Result<Duration, RPCError>) -> Void) {
        guard stage != .closed else { return onPong(.failure(.connectionLost)) }
        guard pings.count < Self.pingLimit else { return onPong(.failure(.sendBufferFull)) }
        pings.append((.now(), onPong))
        asked = asked ?? .now()
        outbox.add { $0.bytes.writePing() }
        flush()
    }

    // MARK: Time

    private func armTimer() {
        guard stage != .closed else { return }
        var due = asked.map { $0 + TimeAmount(limits.pongTimeout) } ?? heard + TimeAmount(limits.keepAliveInterval)
        if readIsHeld { due = .now() + TimeAmount(limits.keepAliveInterval) }
        if let earliest = pending.earliest { due = min(due, earliest) }
        if let written = writes.due { due = min(due, written) }
        switch stage {
        case .leaving(let last), .shut(let last): due = min(due, last)
        case .open, .closed: break
        }
        deadlineTimer.arm(due)
    }

    private func sweep() {
        let now = NIODeadline.now()
        let buffered = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if writes.isStuck(buffered: buffered, at: now) { return close(.writeTimeout) }
        for (id, waiter) in pending.takeExpired(now) {
            outbox.add { $0.bytes.writeCancel(id) }
            waiter.settle(.failure(.deadlineExceeded))
        }
        switch stage {
        case .leaving(let due) where due <= now: return close(.connectionLost)
        case .shut(let due) where due <= now: return close(.connectionLost)
        case .open, .leaving, .shut, .closed: break
        }
        if !readIsHeld {
            if let asked, asked + TimeAmount(limits.pongTimeout) <= now { return close(.connectionLost) }
            if asked == nil, heard + TimeAmount(limits.keepAliveInterval) <= now { ping { _ in } }
        }
        flush()
    }

    // MARK: The end

    /// Takes no more calls, waits for those in flight, and closes.
    func leave() {
        guard stage == .open else { return }
        stage = .leaving(due: .now() + TimeAmount(limits.closeTimeout))
        flush()
    }

    private func shutIfDone() {
        guard case .leaving(let due) = stage, pending.isEmpty, outbox.waitingBytes == 0, let context else { return }
        stage = .shut(due: due)
        // The server ends its side in answer, and then the channel is closed.
        context.close(mode: .output, promise: nil)
    }

    private func close(_ reason: RPCError) {
        guard stage != .closed else { return }
        let context = context
        finish(reason)
        context?.close(promise: nil)
    }

    private func finish(_ reason: RPCError, isOrderly: Bool = false) {
        guard stage != .closed else { return }
        stage = .closed
        deadlineTimer.cancel()
        // A call that finds the outbox closed finds the connection closed too.
        pending.refuse(reason)
        outbox.close()
        let (waiters, reason) = pending.takeAll(reason, isOrderly: isOrderly)
        for waiter in waiters { waiter.settle(.failure(reason)) }
        for ping in pings { ping.onPong(.failure(reason)) }
        pings = []
    }
}

extension ByteBuffer {
    /// The head of a TLS record with an alert or a handshake message (RFC 8446 §5.1). Read as the length of a frame, it exceeds every
    /// limit.
    fileprivate var beginsLikeTLS: Bool {
        let head = getInteger(at: readerIndex, as: UInt16.self)
        return head == 0x1503 || head == 0x1603
    }
}
