import AssayListening
import AssayRPC
import NIOCore

extension ServerConnection {
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
        case .leaving(_, let due): if due > now { next.consider(due) }
        case .lingering(let due): next.consider(due)
        case .flushing, .closed: break
        }
        next.consider(dispatcher.nextLook.map(uptime))
        return next.due
    }

    /// Does what is due. Runs at most twice ``DeadlineTimer/resolution`` late.
    func sweep() {
        guard let context, stage != .closed else { return }
        now = .now()
        let buffered = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if writes.isStuck(buffered: buffered, at: now) { return close(because: EndReason.writeTimeout) }
        if let hardStop, hardStop <= now { return close(because: nil) }
        dispatcher.look()
        switch stage {
        case .serving:
            if let verdict = certificate?.check(at: now) {
                let reason = GoAwayReason(verdict)
                server.register.log.ended(verdict, because: reason.rawValue, of: sessions.own.peer.description)
                goAway(reason)
            }
            if let (reason, due) = silenceLimit(), due <= now { goAway(reason) }
        case .leaving(_, let due) where due <= now:
            dispatcher.drain()
        case .lingering(let due) where due <= now:
            return close(because: nil)
        case .leaving, .flushing, .lingering, .closed:
            break
        }
        flush()
        armTimer()
    }

    /// The time at which the peer's silence ends the connection, and the reason of the GoAway. Nil while the server does not read from it.
    private func silenceLimit() -> (reason: GoAwayReason, due: NIODeadline)? {
        guard !isPaused, !inputIsClosed else { return nil }
        let frame = partialSince.map { $0 + TimeAmount(server.limits.frameTimeout) }
        guard let lastFrame else {
            // A partial first frame is bounded by both timeouts.
            let first = opened + TimeAmount(server.limits.firstFrameTimeout)
            if let frame, frame < first { return (.frameTimeout, frame) }
            return (.firstFrameTimeout, first)
        }
        if let frame { return (.frameTimeout, frame) }
        guard dispatcher.isIdle else { return nil }
        return (.idleTimeout, lastFrame + TimeAmount(server.limits.socket.idleTimeout))
    }
}
