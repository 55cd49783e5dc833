import Synchronization

/// Sends calls by a schedule, which no answer slows down: an open loop.
///
/// A closed loop sends the next call when the last one was answered. While the server stalls it sends nothing, so that one slow answer is
/// measured where many users would have waited (coordinated omission). Here each call has its intended time, and its latency counts from
/// then, however late it was sent.
package final class LoadGenerator: Sendable {
    private typealias Instant = ContinuousClock.Instant

    /// Within it ``stop()`` is noticed.
    private static let longestSleep = Duration.milliseconds(50)
    /// Between the start and the first call.
    private static let headStart = Duration.milliseconds(20)

    private let plan: LoadPlan
    private let operations: [any LoadOperation]
    private let mix: LoadMix
    private let tally: LoadTally
    private let isStopped = Atomic(false)

    /// - Parameter operations: with their weights, each more than 0.
    package init(_ plan: LoadPlan, _ operations: [(operation: any LoadOperation, weight: Int)]) {
        self.plan = plan
        self.operations = operations.map(\.operation)
        mix = LoadMix(weights: operations.map(\.weight))
        tally = LoadTally(plan, operations.map { ($0.operation.name, $0.weight) })
    }

    /// Sends no more calls. Those in flight are waited for.
    package func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Sends the load once, and waits for all answers.
    ///
    /// - Parameter observe: called every so often until the last call has ended.
    package func run(
        every interval: Duration = .milliseconds(500), observe: @escaping @Sendable (LoadProgress) -> Void = { _ in }
    ) async -> LoadReport {
        let start = ContinuousClock.now + Self.headStart
        return await withTaskGroup(of: Void.self) { group in
            for operation in operations { group.addTask { await operation.keepReady() } }
            group.addTask { await self.observe(from: start, every: interval, observe) }
            let end = await send(from: start)
            group.cancelAll()
            let begin = start + plan.warmUp
            return tally.report(from: begin, to: max(begin, end), isInterrupted: isStopped.load(ordering: .relaxed))
        }
    }

    private func observe(from start: Instant, every interval: Duration, _ observe: (LoadProgress) -> Void) async {
        var last = start
        while (try? await Task.sleep(for: interval)) != nil {
            let now = ContinuousClock.now
            observe(tally.progress(at: now - start, interval: now - last))
            last = now
        }
    }

    /// Returns when all calls have ended.
    ///
    /// - Returns: the end of the schedule.
    private func send(from start: Instant) async -> Instant {
        var turns = LoadMix.Turns(mix)
        return await withDiscardingTaskGroup { calls -> Instant in
            for offset in ArrivalSchedule(plan) {
                let due = start + offset
                await wait(until: due)
                if isStopped.load(ordering: .relaxed) { return .now }
                let (index, isMeasured) = (turns.next(), offset >= plan.warmUp)
                guard tally.enter(index, isMeasured: isMeasured) else { continue }
                guard let call = operations[index].next() else {
                    tally.withdraw(index, isMeasured: isMeasured)
                    continue
                }
                calls.addTask { [tally] in
                    let sent = Instant.now
                    let answer = await call()
                    tally.end(index, isMeasured: isMeasured, due: due, sent: sent, at: .now, answer)
                }
            }
            let end = start + plan.warmUp + plan.duration
            await wait(until: end)
            return isStopped.load(ordering: .relaxed) ? .now : end
        }
    }

    private func wait(until time: Instant) async {
        while !isStopped.load(ordering: .relaxed) {
            let now = ContinuousClock.now
            guard now < time else { return }
            do {
                try await Task.sleep(until: min(time, now + Self.longestSleep), tolerance: .zero, clock: .continuous)
            } catch {
                return stop()
            }
        }
    }
}
