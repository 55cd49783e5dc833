import AssayListening
import AssayRPC
import NIOCore

extension HTTPConnection {
    /// Sets the timer to the next instant at which something is due.
    func armTimer() {
        guard stage != .closed, let due = nextDue() else { return }
        deadlineTimer.arm(due)
    }

    private func nextDue() -> NIODeadline? {
        var next = EarliestDeadline()
        next.consider(writes.due)
        next.consider(hardStop)
        switch stage {
        case .serving:
            next.consider(silenceLimit()?.due)
            next.consider(certificate?.due)
            next.consider(restDue)
        case .announced(_, let until): next.consider(until)
        case .leaving(let due): if due > now { next.consider(due) }
        case .lingering(let due): next.consider(due)
        case .flushing, .closed: break
        }
        next.consider(nextLook)
        next.consider(dispatcher.nextLook.map(uptime))
        return next.due
    }

    /// When the exchanges are looked at next: no more often than once a second, since an exchange has seconds for each of its steps.
    private var nextLook: NIODeadline? { exchanges.isEmpty ? nil : max(lastLook + Self.look, now) }
    private static let look = TimeAmount.seconds(1)

    /// Does what is due. Runs at most twice ``DeadlineTimer/resolution`` late.
    func sweep() {
        guard stage != .closed else { return }
        now = .now()
        let buffered = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if writes.isStuck(buffered: buffered, at: now) { return close(because: .writeTimeout) }
        if let hardStop, hardStop <= now { return close(because: nil) }
        dispatcher.look()
        lookAtExchanges()
        if case .announced(_, let until) = stage, until <= now { endIsKnown() }
        switch stage {
        case .serving:
            if let verdict = certificate?.check(at: now) {
                let reason = HTTPEndReason(verdict)
                server.register.log.ended(verdict, because: reason.rawValue, of: sessions.own.peer.description)
                leave(reason)
            }
            if let (reason, due) = silenceLimit(), due <= now { leave(reason) }
            if let restDue, restDue <= now { rest() }
        case .leaving(let due) where due <= now:
            dispatcher.drain()
            for exchange in exchanges.values { refuse(exchange, .drained) }
        case .lingering(let due) where due <= now:
            return close(because: nil)
        case .announced, .leaving, .flushing, .lingering, .closed:
            break
        }
        flush()
        armTimer()
    }

    /// When the connection may rest.
    private var restDue: NIODeadline? {
        guard let transport, transport.mayRest, let lastRequest, exchanges.isEmpty else { return nil }
        let limits = server.limits
        let isFirst = lastRequest > rested
        return max(lastRequest, rested, clocks.uptime) + TimeAmount(isFirst ? limits.restTime : limits.restTimeWithoutRequest)
    }

    private func rest() {
        // Also where it is not possible now: it is tried again later.
        rested = now
        guard outbox.isEmpty, outbox.waitingBytes == 0, dispatcher.isIdle, partialBytes == 0 else { return }
        guard let transport, transport.rest() else { return }
        self.transport = nil
        (exchanges, inFlight) = ([:], [:])
    }

    /// Refuses requests that do not become whole, and gives up answers that are not taken.
    private func lookAtExchanges() {
        guard now >= lastLook + Self.look else { return }
        lastLook = now
        for exchange in exchanges.values {
            if let due = exchange.due, due <= now { refuse(exchange, .bodyTimeout) }
        }
        transport?.resetStuck(since: now - TimeAmount(server.limits.socket.writeTimeout))
    }

    /// The time at which the peer's silence ends the connection, and the reason.
    private func silenceLimit() -> (reason: HTTPEndReason, due: NIODeadline)? {
        guard !inputIsClosed else { return nil }
        guard let lastRequest else { return (.headTimeout, opened + TimeAmount(server.limits.headTimeout)) }
        if let since = transport?.headSince {
            // What the peer could not send counts not, while its socket is not read.
            guard let readSince = meter?.readSince else { return nil }
            return (.headTimeout, max(since, readSince) + TimeAmount(server.limits.headTimeout))
        }
        guard exchanges.isEmpty else { return nil }
        return (.idleTimeout, lastRequest + TimeAmount(server.limits.socket.idleTimeout))
    }
}
