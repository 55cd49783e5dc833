package import AssayCore
import Synchronization

/// The wall clock without its steps ahead, which are followed only after they have lasted longer than any challenge lives.
///
/// Work that forgets for good uses it: a clock that runs ahead for some minutes would otherwise raise the spent horizon, and nothing
/// would be accepted for as long as the step was wide. Forgetting late costs only space.
///
/// A restart does not shorten that time: the clock of the last run (`ClockMemory`) is compared with the time that has passed since by
/// the machine's uptime. After a reboot, uptime is the minimum that has passed; a clock that shows more counts as running ahead, and is
/// followed after the same time.
package final class SettledClock: WallClock {
    /// How far the clock may run ahead of the passing time, in milliseconds, before it counts as a step.
    package static let slack: Int64 = 60_000
    /// How long a step must last, in milliseconds: the longest time to live plus skew.
    package static let patience = ChallengeRule.longest + Freshness.skew

    /// The clocks at one instant.
    package struct Reading: Hashable, Sendable {
        package let wall: Timestamp
        /// The time of `SettledClock.now()`.
        package let settled: Timestamp
        /// In milliseconds.
        package let uptime: Int64
        /// How long the wall clock has been ahead, in milliseconds; `nil` if it is followed.
        package let aheadFor: Int64?

        /// By how much the wall clock is ahead, in milliseconds; 0 where it is followed.
        package var lead: Int64 { aheadFor == nil ? 0 : wall.milliseconds(since: settled) }
    }

    private let clock: any WallClock
    private let uptime: @Sendable () -> Int64
    private let state: Mutex<ClockMemory>

    /// - Parameters:
    ///   - memory: the state of the last run; `nil`: the wall clock is trusted.
    ///   - uptime: how long the machine has been up, in milliseconds; monotonic.
    package init(
        _ clock: any WallClock, memory: ClockMemory? = nil,
        uptime: @escaping @Sendable () -> Int64 = { BootClock.milliseconds() }
    ) {
        (self.clock, self.uptime) = (clock, uptime)
        state = Mutex(memory ?? ClockMemory(believed: clock.now(), uptime: uptime()))
    }

    package func now() -> Timestamp { read().settled }

    /// The state to store for the next start.
    package var memory: ClockMemory {
        _ = read()
        return state.withLock { $0 }
    }

    package func read() -> Reading {
        state.withLock { state in
            // Under the lock, so that no reading is older than the state.
            let (wall, up) = (clock.now(), uptime())
            let expected = state.believed.adding(milliseconds: Self.passed(since: state.uptime, at: up))
            if wall.milliseconds(since: expected) > Self.slack {
                let aheadFor = state.aheadSince.map { Self.passed(since: $0, at: up) } ?? 0
                if aheadFor < Self.patience {
                    state = ClockMemory(believed: expected, uptime: up, aheadSince: up - aheadFor)
                    return Reading(wall: wall, settled: expected, uptime: up, aheadFor: aheadFor)
                }
            }
            state = ClockMemory(believed: wall, uptime: up)
            return Reading(wall: wall, settled: wall, uptime: up, aheadFor: nil)
        }
    }

    /// The least time that has passed, in milliseconds. An uptime below the earlier one means that the machine was rebooted.
    private static func passed(since earlier: Int64, at uptime: Int64) -> Int64 {
        earlier <= uptime ? uptime - max(0, earlier) : max(0, uptime)
    }
}
