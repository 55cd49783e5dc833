import AssayListening
import AssayRPC
import NIOCore

extension HTTPConnection {
    /// Whether what comes is read. Input is discarded after a fault of the peer and once the output is shut.
    var takesRequests: Bool {
        switch stage {
        case .serving, .announced, .leaving: true
        case .flushing, .lingering, .closed: false
        }
    }

    /// Whether calls are begun.
    var takesCalls: Bool {
        switch stage {
        case .serving, .announced: true
        case .leaving, .flushing, .lingering, .closed: false
        }
    }

    /// What tells the client of the end; `nil` before it is known which version it speaks.
    private var goingAway: (any HTTPGoingAway)? {
        if let transport { return transport }
        return idle
    }

    /// Does what the register of connections asks for.
    func end(_ ending: ConnectionRegister.Ending) {
        switch ending {
        case .full: leave(.tooManyConnections)
        case .stopping: leave(.shuttingDown)
        case .displaced: close(because: .tooManyConnections)
        }
    }

    /// Begins the end: the client is told, what is in work finishes, then a half-close, a bounded wait, and the close. What a peer at fault has in work
    /// is abandoned.
    func leave(_ reason: HTTPEndReason) {
        switch stage {
        case .serving: break
        case .announced where reason.isFault:
            ended(because: reason)
            return refuseMore(because: reason)
        // It begins no more.
        case .announced where reason == .clientLeaving: return endIsKnown()
        case .leaving where reason.isFault: return give(up: reason)
        case .announced, .leaving, .flushing, .lingering, .closed: return
        }
        dispatcher.dispatch()
        now = .now()
        hardStop = now + TimeAmount(server.limits.socket.drainTimeout) + TimeAmount(server.limits.socket.lingerTimeout)
        ended(because: reason)
        guard reason.isGraceful, goingAway?.announceEnd(reason) == true else { return refuseMore(because: reason) }
        stage = .announced(reason, until: now + TimeAmount(min(server.limits.goAwayTimeout, server.limits.socket.drainTimeout)))
        goingAway?.flush()
        armTimer()
    }

    /// The client has said that it knows of the end, or had the time to.
    func endIsKnown() {
        if case .announced(let reason, _) = stage { refuseMore(because: reason) }
    }

    private func refuseMore(because reason: HTTPEndReason) {
        guard let hardStop else { return }
        stage = .leaving(due: hardStop - TimeAmount(server.limits.socket.lingerTimeout))
        goingAway?.goAway(reason)
        goingAway?.flush()
        if reason.isFault {
            give(up: nil)
        } else {
            finishIfDone()
        }
        armTimer()
    }

    /// Abandons what is in work for a peer at fault, and reads nothing more of it.
    private func give(up reason: HTTPEndReason?) {
        if let reason { ended(because: reason) }
        dispatcher.drain()
        stage = .flushing
        shutOutputWhenWritten()
    }

    private func ended(because reason: HTTPEndReason) {
        server.register.ended(because: reason.rawValue, reason.logged, sessions.own.peer, sessions.own.identity)
    }

    /// Shuts the output once everything is answered and written.
    func finishIfDone() {
        guard case .leaving = stage else { return }
        guard outbox.isEmpty, outbox.waitingBytes == 0, isDone else { return }
        stage = .flushing
        forgetPartialRequests()
        shutOutputWhenWritten()
    }

    private var isDone: Bool {
        dispatcher.isIdle && exchanges.values.allSatisfy { if case .answered = $0.state { true } else { false } }
    }

    private func shutOutputWhenWritten() {
        // A channel that is closed drops what it has not written. The promise of an empty write tells when everything is written.
        let connection = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let isWritten = channel.eventLoop.makePromise(of: Void.self)
        isWritten.futureResult.whenComplete { _ in connection.value.shutOutput() }
        meter?.writeNothing(isWritten)
    }

    private func shutOutput() {
        guard stage == .flushing else { return }
        guard !inputIsClosed else { return close(because: nil) }
        // Closing with unread input sends a reset, which can destroy the last answer before the peer reads it.
        now = .now()
        stage = .lingering(due: now + TimeAmount(server.limits.socket.lingerTimeout))
        channel.close(mode: .output, promise: nil)
        meter?.readOn()
        armTimer()
    }

    /// The peer has shut its side. What it has in flight is not awaited: a client of HTTP that still wants its answers keeps its side open.
    func inputClosed() {
        guard !inputIsClosed else { return }
        inputIsClosed = true
        dispatcher.end()
        for exchange in exchanges.keys { outbox.forget(exchange) }
        forgetExchanges()
        forgetPartialRequests()
        switch stage {
        case .serving, .announced, .leaving:
            stage = .flushing
            shutOutputWhenWritten()
        case .lingering: close(because: nil)
        case .flushing, .closed: break
        }
    }

    private func forgetExchanges() {
        for exchange in exchanges.values { exchange.state = .answered }
        (exchanges, inFlight) = ([:], [:])
    }

    /// Input that belongs to nothing any more.
    func discard(_ count: Int) {
        discarded += count
        if discarded > server.limits.socket.maxDiscardedBytes { close(because: nil) }
    }

    /// Closes at once. A reason is counted.
    func close(because reason: HTTPEndReason?) {
        guard stage != .closed else { return }
        if let reason { ended(because: reason) }
        finish()
        channel.close(promise: nil)
    }

    /// Gives back everything that the connection holds. Idempotent.
    func finish() {
        guard stage != .closed else { return }
        forgetPartialRequests()
        server.unreadAnswers.forget(ObjectIdentifier(self))
        stage = .closed
        deadlineTimer.cancel()
        outbox.close()
        executor.close()
        dispatcher.end()
        forgetExchanges()
        (transport, idle) = (nil, nil)
        meter = nil
        place?.leave()
    }
}
