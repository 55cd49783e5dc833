import AssayCore
import Logging
import Synchronization

/// Evidence that was in flight when a process ended is judged by a fresh process, alone: one such process at a time.
extension PluginSupervisor {
    /// Lets a suspect wait for its process.
    func submitAlone(_ call: SupervisedCall, _ suspicion: Suspicion) {
        guard !call.isAnswered else { return }
        let mustRun = update { state, effects in
            let now = ContinuousClock.now
            if case .drained(let successor?) = state.ending {
                effects.forwards.append((call, successor))
                return false
            }
            if let refusal = state.refusal(at: now) {
                effects.answers.append((call, .failure(refusal)))
                return false
            }
            guard state.aloneQueue.count < SupervisionState.aloneLimit else {
                let error = PluginUnavailable(
                    .busy, "other evidence is judged alone by the plugin \(state.id) first", retryAfter: state.limits.deadline)
                effects.answers.append((call, .failure(error)))
                return false
            }
            state.aloneQueue.append(.init(call: call, suspicion: suspicion, due: now + state.limits.deadline))
            effects.wakesWatch = true
            defer { state.isAloneRunning = true }
            return !state.isAloneRunning
        }
        guard mustRun else { return }
        let task = Task {
            while let next = nextAlone() { await judgeAlone(next.call, next.suspicion) }
        }
        state.withLock { $0.aloneTask = task }
    }

    private func nextAlone() -> SupervisionState.WaitingAlone? {
        update { state, effects in
            while !state.aloneQueue.isEmpty {
                let next = state.aloneQueue.removeFirst()
                if !next.call.isAnswered { return next }
            }
            state.isAloneRunning = false
            if state.ending != nil { effects.wakesWatch = true }
            return nil
        }
    }

    private func judgeAlone(_ call: SupervisedCall, _ suspicion: Suspicion) async {
        // The same evidence may have been judged while this call waited.
        switch quarantine.standing(suspicion.digest) {
        case .refused:
            call.answer(refusedOutcome(of: call.work))
            return
        case .unknown: return submit(call)
        case .suspect: break
        }
        let session: PluginSession
        do throws(StartFailure) { session = try await open() } catch {
            // The evidence was not sent: nothing is known of it.
            call.answer(
                .failure(PluginUnavailable(.notReady, "no process of the plugin \(entry.id) is ready", retryAfter: .seconds(1)))
            )
            return
        }
        let isWanted = state.withLock { state in
            state.counts.calls += 1
            state.aloneSession = session
            if case .stopped = state.ending { return false }
            return true
        }
        if isWanted {
            await judge(call, suspicion, alone: session)
        } else {
            call.answer(.failure(PluginUnavailable(.stopped, "the plugin \(entry.id) is stopped")))
        }
        _ = await session.close(grace: environment.times.stopGrace)
        state.withLock { $0.aloneSession = nil }
    }

    private func judge(_ call: SupervisedCall, _ suspicion: Suspicion, alone session: PluginSession) async {
        let watch = AloneWatch()
        let result: Result<SupervisedCall.Outcome, PluginCallFailure>
        do throws(PluginCallFailure) { result = .success(try await perform(call, in: session, watch)) } catch {
            result = .failure(error)
        }
        guard result.isLost(of: session) else {
            if call.clears, !result.isUntried {
                quarantine.clear(suspicion.digest)
                log.write(.cleared, .info, "evidence that was judged alone is suspected no longer")
            }
            call.answer(result.mapError { $0.unavailable(entry.id) })
            return
        }
        await convict(call, suspicion, session, watch)
    }

    /// Makes the calls. The time that the registry takes for the device is not the plugin's.
    private func perform(
        _ call: SupervisedCall, in session: PluginSession, _ watch: AloneWatch
    ) async throws(PluginCallFailure) -> SupervisedCall.Outcome {
        let timeout = CallTimeout.announced(entry.limits.deadline)
        guard case .judge(let request) = call.work else {
            return try await watched(call, session, watch) { () async throws(PluginCallFailure) in
                try await call.perform(in: session, timeout: timeout)
            }
        }
        let subject = try await watched(call, session, watch) { () async throws(PluginCallFailure) in
            try await session.locate(request, timeout: timeout)
        }
        switch try await session.completing(request, with: subject) {
        case .failure(let rejection): return .answer(.refused(rejection))
        case .success(let complete):
            return .answer(
                try await watched(call, session, watch) { () async throws(PluginCallFailure) in
                    try await session.appraise(complete, timeout: timeout)
                })
        }
    }

    /// Makes one call: its caller is answered at the deadline, and the process killed after the grace.
    private func watched<T: Sendable>(
        _ call: SupervisedCall, _ session: PluginSession, _ watch: AloneWatch,
        _ body: () async throws(PluginCallFailure) -> T
    ) async throws(PluginCallFailure) -> T {
        let timer = Task {
            try await Task.sleep(for: entry.limits.deadline)
            let error = PluginUnavailable(
                .timeout, "the plugin \(entry.id) did not answer in time", retryAfter: entry.limits.deadline)
            if call.answer(.failure(error)) { state.withLock { $0.counts.timeouts += 1 } }
            try await Task.sleep(for: entry.limits.grace)
            watch.lateness.withLock { $0 = session.awaitsHost ? .excused : .blamed }
            session.process.kill()
        }
        defer { timer.cancel() }
        return try await body()
    }

    /// The process ended over evidence that it judged alone.
    private func convict(
        _ call: SupervisedCall, _ suspicion: Suspicion, _ session: PluginSession, _ watch: AloneWatch
    ) async {
        let exit = environment.times.exit
        // The connection has ended, so this stays as it is.
        let isUnread = session.isUnread
        // Whether the process broke the connection and lived on until it was killed.
        let timer = Task {
            if !isUnread { try await Task.sleep(for: exit) }
            guard session.process.endIfEnded == nil else { return false }
            session.process.kill()
            return true
        }
        let end = await session.process.end
        timer.cancel()
        let wasKilled = (try? await timer.value) ?? false
        let brokeConnection = isUnread || wasKilled && end == .killed(signal: 9)
        let isStopped = state.withLock { state in
            state.counts.deaths += 1
            if isUnread { state.kills[.answersNotRead, default: 0] += 1 }
            state.lastLines = session.process.lastLines
            if case .stopped = state.ending { return true }
            return false
        }
        let lateness = watch.lateness.withLock { $0 }
        guard !isStopped, lateness != .excused, lateness == .blamed || brokeConnection || session.process.isAtFault(in: end)
        else {
            call.answer(
                .failure(
                    PluginUnavailable(
                        .ended, "the process of the plugin \(entry.id) ended before it answered", retryAfter: .seconds(1))))
            return
        }
        let how =
            switch (lateness, isUnread) {
            case (.blamed, _): "did not answer in time, and was killed"
            case (_, true): "did not read the answers to its pings or calls, and was killed"
            case (_, false): end.description
            }
        quarantine.prove(suspicion, end: how)
        log.write(
            .quarantined, .error, "evidence ended a second process, which judged it alone: it is refused from now on",
            ["end": "\(how)", "digest": "\(Hex.encode(suspicion.digest))", "format": "\(suspicion.format)"])
        call.answer(refusedOutcome(of: call.work))
    }
}

/// Whether a call that is made alone exceeded its deadline and grace.
private final class AloneWatch: Sendable {
    enum Lateness {
        case none, blamed
        /// The plugin waited for the daemon.
        case excused
    }
    let lateness = Mutex(Lateness.none)
}

extension Result where Success == SupervisedCall.Outcome, Failure == PluginCallFailure {
    /// Whether the judgement was not made, by no fault of the plugin.
    fileprivate var isUntried: Bool {
        if case .failure(.registry) = self { true } else { false }
    }
}
