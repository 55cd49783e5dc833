import Synchronization

/// Counts a load while it runs. Calls end on any thread.
final class LoadTally: Sendable {
    typealias Instant = ContinuousClock.Instant

    fileprivate struct State {
        var operations: [LoadReport.Operation]
        var inFlight = 0
        var sendDelay = LatencyHistogram()
        var late: UInt64 = 0
        var warmUp = LoadReport.WarmUp()
        var lastEnd: Instant?
        /// Since the last look.
        var recent = LatencyHistogram()
        var recentAnswers: UInt64 = 0
    }

    private let plan: LoadPlan
    private let state: Mutex<State>

    /// - Parameter operations: names and weights.
    init(_ plan: LoadPlan, _ operations: [(name: String, weight: Int)]) {
        self.plan = plan
        let sum = operations.reduce(0) { $0 + $1.weight }
        state = Mutex(
            State(operations: operations.map { LoadReport.Operation(name: $0.name, share: Double($0.weight) / Double(sum)) }))
    }

    /// Counts an arrival, and takes a place among the calls in flight.
    ///
    /// - Returns: false: there is none, which is counted.
    func enter(_ index: Int, isMeasured: Bool) -> Bool {
        state.withLock { state in
            if isMeasured { state.operations[index].scheduled += 1 } else { state.warmUp.scheduled += 1 }
            guard state.inFlight < plan.inFlight else {
                state.notSent(index, .inFlightLimit, isMeasured)
                return false
            }
            state.inFlight += 1
            return true
        }
    }

    /// Gives the place back of an arrival for which no call was ready.
    func withdraw(_ index: Int, isMeasured: Bool) {
        state.withLock { state in
            state.inFlight -= 1
            state.notSent(index, .noDeviceReady, isMeasured)
        }
    }

    /// Counts the end of a call.
    ///
    /// - Parameters:
    ///   - due: when it was to be sent.
    ///   - sent: when it was.
    func end(_ index: Int, isMeasured: Bool, due: Instant, sent: Instant, at end: Instant, _ answer: CallAnswer) {
        state.withLock { state in
            state.inFlight -= 1
            state.recentAnswers += 1
            if answer.isTimed { state.recent.record(end - due) }
            guard isMeasured else {
                state.warmUp.sent += 1
                if !answer.isExpected { state.warmUp.unexpected[answer.word, default: 0] += 1 }
                return
            }
            state.operations[index].count(answer, latency: end - due, serviceTime: end - sent)
            state.sendDelay.record(sent - due)
            if sent - due > plan.lateAfter { state.late += 1 }
            state.lastEnd = max(state.lastEnd ?? end, end)
        }
    }

    // MARK: Looking

    /// What has happened so far, and since the last look.
    ///
    /// - Parameter interval: since the last look.
    func progress(at time: Duration, interval: Duration) -> LoadProgress {
        state.withLock { state in
            defer {
                state.recent.reset()
                state.recentAnswers = 0
            }
            return LoadProgress(
                time: time, total: plan.warmUp + plan.duration, isWarmingUp: time < plan.warmUp,
                rate: Double(state.recentAnswers) / max(0.001, interval.seconds), p99: state.recent.value(at: 99),
                inFlight: state.inFlight, unexpected: state.operations.reduce(0) { $0 + $1.unexpected },
                notSent: state.operations.reduce(0) { $0 + $1.notSentCount })
        }
    }

    /// - Parameters:
    ///   - begin: of what is measured.
    ///   - end: of the schedule, or when it was stopped.
    func report(from begin: Instant, to end: Instant, isInterrupted: Bool) -> LoadReport {
        state.withLock { state in
            LoadReport(
                plan: plan, operations: state.operations, sendDelay: state.sendDelay, late: state.late, warmUp: state.warmUp,
                elapsed: max(.zero, max(end, state.lastEnd ?? end) - begin), isInterrupted: isInterrupted)
        }
    }
}

extension LoadTally.State {
    fileprivate mutating func notSent(_ index: Int, _ why: NotSent, _ isMeasured: Bool) {
        if isMeasured {
            operations[index].notSent[why, default: 0] += 1
        } else {
            warmUp.notSent += 1
        }
    }
}

/// A load at one moment, for a line of progress.
package struct LoadProgress: Hashable, Sendable {
    /// Since the first call.
    package let time: Duration
    package let total: Duration
    package let isWarmingUp: Bool
    /// Answers in a second, and their latency, since the last moment.
    package let rate: Double
    package let p99: Duration
    package let inFlight: Int
    /// Of the calls that are measured.
    package let unexpected: UInt64
    package let notSent: UInt64
}
