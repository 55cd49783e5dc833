import AssayListening
import AssayRPC
import NIOCore

extension ServerConnection {
    /// Whether frames are read. Input is discarded after a fault of the peer and once the output is shut.
    var takesFrames: Bool {
        switch stage {
        case .serving: true
        case .leaving(let reason, _): reason.answersLaterCalls
        case .flushing, .lingering, .closed: false
        }
    }

    /// Does what the register of connections asks for.
    func end(_ ending: ConnectionRegister.Ending) {
        switch ending {
        case .full: goAway(.tooManyConnections)
        case .stopping: goAway(.shuttingDown)
        case .displaced: close(because: GoAwayReason.tooManyConnections.rawValue)
        }
    }

    /// Begins the end: GoAway, the calls in flight, half-close, a bounded drain, close. The peer gets only the first reason; a fault
    /// that follows ends the reading too.
    func goAway(_ reason: GoAwayReason) {
        if case .leaving(_, let due) = stage, !reason.answersLaterCalls {
            stage = .leaving(reason, due: due)
            return forgetPartialFrame()
        }
        guard stage == .serving, context != nil else { return }
        dispatcher.dispatch()
        now = .now()
        stage = .leaving(reason, due: now + TimeAmount(server.limits.socket.drainTimeout))
        hardStop = now + TimeAmount(server.limits.socket.drainTimeout) + TimeAmount(server.limits.socket.lingerTimeout)
        server.ended(because: reason.rawValue, sessions.own.peer, sessions.own.identity)
        outbox.add { $0.bytes.writeGoAway(reason.rawValue) }
        if !reason.answersLaterCalls { forgetPartialFrame() }
        resumeReading()
        armTimer()
    }

    /// Shuts the output once every call is answered and everything is written.
    func finishIfDone() {
        guard let context, dispatcher.isIdle, outbox.waitingBytes == 0 else { return }
        switch stage {
        case .leaving: break
        case .serving: guard inputIsClosed else { return }
        case .flushing, .lingering, .closed: return
        }
        stage = .flushing
        forgetPartialFrame()
        // A channel that is closed drops what it has not written. The promise of an empty write tells when everything is written.
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        let isWritten = context.eventLoop.makePromise(of: Void.self)
        isWritten.futureResult.whenComplete { _ in connection.value.shutOutput() }
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer()), promise: isWritten)
    }

    private func shutOutput() {
        guard let context, stage == .flushing else { return }
        guard !inputIsClosed else { return close(because: nil) }
        // Closing with unread input sends a reset, which can destroy the GoAway before the peer reads it.
        now = .now()
        stage = .lingering(due: now + TimeAmount(server.limits.socket.lingerTimeout))
        context.close(mode: .output, promise: nil)
        resumeReading()
        armTimer()
    }

    func discard(_ count: Int) {
        discarded += count
        if discarded > server.limits.socket.maxDiscardedBytes { close(because: nil) }
    }

    /// Closes at once. A reason is counted.
    func close(because reason: String?) {
        guard stage != .closed else { return }
        if let reason { server.ended(because: reason, sessions.own.peer, sessions.own.identity) }
        let context = context
        finish()
        context?.close(promise: nil)
    }

    /// Gives back everything that the connection holds. Idempotent.
    func finish() {
        guard stage != .closed else { return }
        forgetPartialFrame()
        server.unreadAnswers.forget(ObjectIdentifier(self))
        stage = .closed
        deadlineTimer.cancel()
        outbox.close()
        executor.close()
        dispatcher.end()
        place?.leave()
    }
}
