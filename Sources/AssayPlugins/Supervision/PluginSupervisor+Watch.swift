import AssayCore
import Logging

extension PluginSupervisor {
    /// Answers callers at their deadlines, kills processes that exceed the grace, and pings those that are idle; until the end.
    func watchDeadlines() async {
        while true {
            let (due, isOver) = sweep()
            if isOver { return }
            await watch.sleep(until: due)
        }
    }

    private func sweep() -> (due: ContinuousClock.Instant?, isOver: Bool) {
        var pings: [(UInt64, PluginSession)] = []
        let result = update { state, effects in
            let now = ContinuousClock.now
            state.expireWaiting(at: now, &effects)
            state.expireInFlight(at: now, &effects)
            pings = state.idle(at: now)
            state.watchDue = state.nextDue
            return (state.watchDue, state.isOver)
        }
        for (process, session) in pings { ping(session, process) }
        return result
    }

    /// Asks an idle process for a sign of life, and then for its health.
    private func ping(_ session: PluginSession, _ process: UInt64) {
        let limit = environment.times.pong
        Task {
            let timer = Task {
                try await Task.sleep(for: limit)
                kill(process, because: .silence)
            }
            let pong = try? await session.ping()
            timer.cancel()
            update { state, effects in
                state.processes[process]?.isPinging = false
                guard pong != nil, let heard = state.processes[process], !heard.isClosing, heard.inFlight.isEmpty else {
                    return
                }
                state.processes[process]?.heard = .now
                state.begin(SupervisedCall(.health), on: process, at: .now, &effects)
            }
        }
    }

    func kill(_ process: UInt64, because reason: SupervisionState.KillReason) {
        update { state, effects in state.kill(process, because: reason, &effects) }
    }
}

extension SupervisionState {
    mutating func kill(_ id: UInt64, because reason: KillReason, _ effects: inout SupervisionEffects) {
        guard let process = processes[id], process.end == nil, process.killed == nil else { return }
        processes[id]?.killed = reason
        kills[reason, default: 0] += 1
        effects.kills.append(process.session)
        guard !process.isClosing else { return }
        effects.lines.append(
            .init(
                kind: .killed, level: .warning, text: "a process of the plugin is killed: \(reason.sentence)",
                fields: ["pid": "\(process.session.process.id)"]))
        if !isReady { effects.isChanged = true }
    }

    fileprivate mutating func expireWaiting(at now: Instant, _ effects: inout SupervisionEffects) {
        let isReady = isReady
        while let first = queue.first, first.due <= now {
            queue.removeFirst()
            effects.answers.append((first.call, .failure(tooLate(isReady))))
        }
        while let first = aloneQueue.first, first.due <= now {
            aloneQueue.removeFirst()
            effects.answers.append((first.call, .failure(tooLate(true))))
        }
    }

    private func tooLate(_ isReady: Bool) -> PluginUnavailable {
        isReady
            ? PluginUnavailable(.busy, "no process of the plugin \(id) was free in time", retryAfter: limits.deadline)
            : PluginUnavailable(.notReady, "no process of the plugin \(id) is ready", retryAfter: .seconds(1))
    }

    fileprivate mutating func expireInFlight(at now: Instant, _ effects: inout SupervisionEffects) {
        for (id, process) in processes where process.end == nil {
            var isBeyondGrace = false
            for (number, flight) in process.inFlight where !flight.isLost && flight.due <= now {
                if !flight.isExpired {
                    processes[id]?.inFlight[number]?.isExpired = true
                    if flight.call.isForCaller { counts.timeouts += 1 }
                    let error = PluginUnavailable(
                        .timeout, "the plugin \(self.id) did not answer in time", retryAfter: limits.deadline)
                    effects.answers.append((flight.call, .failure(error)))
                }
                guard flight.due + limits.grace <= now, process.killed == nil else { continue }
                // Late because of the daemon's store is not late because of the evidence.
                processes[id]?.inFlight[number]?.isBlamed = !process.session.awaitsHost
                isBeyondGrace = true
            }
            if isBeyondGrace { kill(id, because: .deadline, &effects) }
        }
    }

    /// The processes that are to be pinged now.
    fileprivate mutating func idle(at now: Instant) -> [(UInt64, PluginSession)] {
        processes.filter { $1.isIdle && $1.heard + times.idle <= now }.map { id, process in
            processes[id]?.isPinging = true
            return (id, process.session)
        }
    }

    /// When there is something to do next.
    fileprivate var nextDue: Instant? {
        var due = [queue.first?.due, aloneQueue.first?.due].compactMap { $0 }.min()
        func consider(_ instant: Instant) { due = min(due ?? instant, instant) }
        for process in processes.values where process.end == nil {
            for flight in process.inFlight.values where !flight.isLost {
                if !flight.isExpired {
                    consider(flight.due)
                } else if process.killed == nil {
                    consider(flight.due + limits.grace)
                }
            }
            if process.isIdle { consider(process.heard + times.idle) }
        }
        return due
    }
}

extension SupervisionState.Process {
    fileprivate var isIdle: Bool { inFlight.isEmpty && !isPinging && !isClosing && end == nil && killed == nil }
}
