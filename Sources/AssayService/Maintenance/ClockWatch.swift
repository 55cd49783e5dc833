package import AssayCore
package import Logging
import Synchronization

/// Looks after time: compares the wall clock with the time that passes and logs steps, keeps for the next start what is known,
/// and says when the spent horizon lies so far ahead that no challenge can be issued.
package final class ClockWatch: MaintenanceTask {
    /// A difference between wall clock and uptime, in milliseconds, from which on it is a step. A leap second is none.
    package static let step: Int64 = 2000
    /// How often what is known is kept while nothing changes, in milliseconds of uptime. An older memory costs patience after
    /// the machine was started again, and nothing else.
    package static let keepingPeriod: Int64 = 3_600_000
    /// The horizon is said to lie ahead when it does by as much as an ordinary challenge lives, in milliseconds.
    package static let horizonLead = Int64(ChallengeRule.usual)

    /// A step of the wall clock.
    package struct Step: Hashable, Sendable {
        package let at: Timestamp
        /// Ahead, or back where it is negative, in milliseconds.
        package let milliseconds: Int64
    }

    /// Steps since the start, by their direction.
    package struct Steps: Hashable, Sendable {
        package var ahead: UInt64 = 0
        package var back: UInt64 = 0
    }

    private struct State {
        var last: SettledClock.Reading?
        /// The last reading is that of an earlier run: whether the machine was started again since is not known.
        var isRemembered: Bool
        var lastStep: Step?
        var steps = Steps()
        var isAhead = false
        var horizonIsAhead = false
        /// What was kept last.
        var kept: ClockMemory?
    }

    private let ledger: any ClockMemoryStore & LedgerStatusSource
    private let clock: SettledClock
    private let horizon: SpentHorizon
    private let logger: Logger
    private let state: Mutex<State>

    /// - Parameter memory: what was known when the daemon ran last; the clock was made with it too.
    package init(
        ledger: any ClockMemoryStore & LedgerStatusSource, clock: SettledClock, horizon: SpentHorizon, memory: ClockMemory?,
        logger: Logger
    ) {
        self.ledger = ledger
        self.clock = clock
        self.horizon = horizon
        self.logger = logger
        // What a file says may be anything.
        let memory = memory.map {
            ClockMemory(believed: $0.believed, uptime: max(0, $0.uptime), aheadSince: $0.aheadSince)
        }
        let last = memory.map {
            SettledClock.Reading(wall: $0.believed, settled: $0.believed, uptime: $0.uptime, aheadFor: nil)
        }
        state = Mutex(State(last: last, isRemembered: true, kept: memory))
    }

    package func perform() async throws {
        watchClock()
        try await watchHorizon()
        try await keep()
    }

    package func conclude() async throws {
        watchClock()
        try await ledger.keep(clock.memory)
    }

    // MARK: The clock

    private func watchClock() {
        let reading = clock.read()
        let (step, isNews, isStart) = state.withLock { state in
            let step = state.last.flatMap { Self.step(from: $0, to: reading, knowingWhatPassed: !state.isRemembered) }
            if let step {
                state.lastStep = step
                if step.milliseconds < 0 { state.steps.back += 1 } else { state.steps.ahead += 1 }
            }
            defer { (state.last, state.isRemembered, state.isAhead) = (reading, false, reading.aheadFor != nil) }
            return (step, state.isAhead != (reading.aheadFor != nil), state.isRemembered)
        }
        if let step {
            logger.warning(
                "the clock was set \(step.milliseconds < 0 ? "back" : "ahead")",
                metadata: ["milliseconds": "\(step.milliseconds.magnitude)", "time": "\(reading.wall)"])
        }
        guard isNews else { return }
        if let aheadFor = reading.aheadFor {
            // At the start that is so, too, where the machine was off for more than a minute.
            logger.log(
                level: isStart ? .notice : .warning,
                "the clock is ahead of the time that is known to have passed; what is forgotten for good waits",
                metadata: [
                    "milliseconds": "\(reading.wall.milliseconds(since: reading.settled))",
                    "followed_in_ms": "\(SettledClock.patience - aheadFor)",
                ])
        } else {
            logger.notice("the clock is followed again", metadata: ["time": "\(reading.wall)"])
        }
    }

    /// The difference between the time that the wall clock shows to have passed and the time that has. Where that is not known, only
    /// the way back is a step.
    private static func step(
        from last: SettledClock.Reading, to reading: SettledClock.Reading, knowingWhatPassed: Bool
    ) -> Step? {
        let passed = max(0, reading.uptime - last.uptime)
        let difference = reading.wall.milliseconds(since: last.wall.adding(milliseconds: passed))
        guard difference <= -step || (knowingWhatPassed && difference >= step) else { return nil }
        return Step(at: reading.wall, milliseconds: difference)
    }

    private func keep() async throws {
        let memory = clock.memory
        let isDue = state.withLock { state in
            guard let kept = state.kept, (kept.aheadSince == nil) == (memory.aheadSince == nil) else { return true }
            // A clock that was set back, or a machine that was started again, is kept at once.
            let passed = memory.uptime - kept.uptime
            return passed < 0 || passed >= Self.keepingPeriod || memory.believed < kept.believed
        }
        guard isDue else { return }
        try await ledger.keep(memory)
        state.withLock { $0.kept = memory }
    }

    // MARK: The horizon

    private func watchHorizon() async throws {
        let time = try await ledger.status().spentHorizon
        horizon.note(time)
        let now = clock.read().wall
        let isAhead = time.milliseconds(since: now) >= Self.horizonLead
        let isNews = state.withLock { state in
            defer { state.horizonIsAhead = isAhead }
            return state.horizonIsAhead != isAhead
        }
        guard isNews else { return }
        if isAhead {
            logger.error(
                "the spent horizon lies ahead of the clock: no challenge is issued until it has passed",
                metadata: ["horizon": "\(time)", "time": "\(now)"])
        } else {
            logger.notice("the spent horizon has passed; challenges are issued again", metadata: ["horizon": "\(time)"])
        }
    }

    // MARK: For the status

    package struct Report: Hashable, Sendable {
        package let reading: SettledClock.Reading
        package let lastStep: Step?
        package let steps: Steps
        /// The spent horizon, where it lies ahead and ordinary challenges are not issued.
        package let horizonAhead: Timestamp?
    }

    package var report: Report {
        let reading = clock.read()
        let time = horizon.time
        let (lastStep, steps) = state.withLock { ($0.lastStep, $0.steps) }
        return Report(
            reading: reading, lastStep: lastStep, steps: steps,
            horizonAhead: time.milliseconds(since: reading.wall) >= Self.horizonLead ? time : nil)
    }
}
