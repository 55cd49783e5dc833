import NIOCore

extension ServerConnection {
    /// Whether frames are read at all. After a fault of the peer, and once the output is shut, input is thrown away.
    var takesFrames: Bool {
        switch stage {
        case .serving: true
        case .leaving(let reason, _): reason.answersLaterCalls
        case .flushing, .lingering, .closed: false
        }
    }

    /// Begins the end: GoAway, the calls in flight, half-close, a bounded drain, close. Only the first reason is told; a fault
    /// after it ends the reading too.
    func goAway(_ reason: GoAwayReason) {
        if case .leaving(_, let due) = stage, !reason.answersLaterCalls {
            stage = .leaving(reason, due: due)
            return forgetPartialFrame()
        }
        guard stage == .serving, context != nil else { return }
        dispatch()
        now = .now()
        stage = .leaving(reason, due: now + TimeAmount(server.limits.drainTimeout))
        hardStop = now + TimeAmount(server.limits.drainTimeout) + TimeAmount(server.limits.lingerTimeout)
        server.ended(because: reason.rawValue, replies.peer, usage.identity)
        outbox.add { $0.bytes.writeGoAway(reason.rawValue) }
        if !reason.answersLaterCalls { forgetPartialFrame() }
        resumeReading()
        armTimer()
    }

    /// Shuts the output once no call will be answered any more and everything is written.
    func finishIfDone() {
        guard let context, calls.isEmpty, outbox.waitingBytes == 0 else { return }
        switch stage {
        case .leaving: break
        case .serving: guard inputIsClosed else { return }
        case .flushing, .lingering, .closed: return
        }
        stage = .flushing
        forgetPartialFrame()
        // The channel drops what it has not written when it is closed, so an empty write tells when everything is gone.
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        let isWritten = context.eventLoop.makePromise(of: Void.self)
        isWritten.futureResult.whenComplete { _ in connection.value.shutOutput() }
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer()), promise: isWritten)
    }

    private func shutOutput() {
        guard let context, stage == .flushing else { return }
        guard !inputIsClosed else { return close(because: nil) }
        // Closing now would answer unread input with a reset, and a reset eats the GoAway.
        now = .now()
        stage = .lingering(due: now + TimeAmount(server.limits.lingerTimeout))
        context.close(mode: .output, promise: nil)
        resumeReading()
        armTimer()
    }

    func discard(_ count: Int) {
        discarded += count
        if discarded > server.limits.maxDiscardedBytes { close(because: nil) }
    }

    /// Closes without further courtesy. With a reason it is counted.
    func close(because reason: String?) {
        guard stage != .closed else { return }
        if let reason { server.ended(because: reason, replies.peer, usage.identity) }
        let context = context
        finish()
        context?.close(promise: nil)
    }

    /// Gives back everything the connection holds. Idempotent.
    func finish() {
        guard stage != .closed else { return }
        forgetPartialFrame()
        server.unreadAnswers.forget(ObjectIdentifier(self))
        stage = .closed
        deadlineTimer.cancel()
        server.admission.release(outbox.close(), of: usage)
        let abandoned = calls.values
        calls = [:]
        for inFlight in abandoned {
            _ = inFlight.call.abandon()
            inFlight.task?.cancel()
        }
        for call in burst { call.conclude() }
        burst = []
        server.connectionLimiter.leave(ObjectIdentifier(self))
    }
}
