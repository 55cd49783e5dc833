package import AssayCore
import Synchronization

/// The wall clock, but for leaps ahead, which are followed only when they have lasted longer than any challenge lives.
///
/// What forgets for good goes by it: a clock that runs ahead for some minutes would otherwise raise the spent horizon to a
/// time at which nothing is accepted for as long as the leap was wide. To forget late costs nothing but space.
///
/// A restart does not cut that short: what was known when the daemon ran last (`ClockMemory`) is compared with the time that
/// has passed since by the machine's uptime. After the machine itself was started anew, uptime is the least that has passed; a
/// clock that shows more is taken for one that runs ahead, and followed after as long.
package final class SettledClock: WallClock {
    /// How far the clock may run ahead of the time that passes, in milliseconds, before it counts as a leap.
    package static let slack: Int64 = 60_000
    /// How long a leap must last, in milliseconds: the longest time to live, and skew.
    package static let patience = ChallengeRule.longest + Freshness.skew

    /// What the clocks say at one instant.
    package struct Reading: Hashable, Sendable {
        package let wall: Timestamp
        /// That of `SettledClock.now()`.
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
    ///   - memory: what was known when the daemon ran last; `nil`: the wall clock is believed.
    ///   - uptime: how long the machine has been up, in milliseconds; it never leaps.
    package init(
        _ clock: any WallClock, memory: ClockMemory? = nil,
        uptime: @escaping @Sendable () -> Int64 = { BootClock.milliseconds() }
    ) {
        (self.clock, self.uptime) = (clock, uptime)
        state = Mutex(memory ?? ClockMemory(believed: clock.now(), uptime: uptime()))
    }

    package func now() -> Timestamp { read().settled }

    /// What is to be kept for the next start.
    package var memory: ClockMemory {
        _ = read()
        return state.withLock { $0 }
    }

    package func read() -> Reading {
        state.withLock { state in
            // Under the lock, so that no reading is older than what is believed.
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

    /// At least so many milliseconds have passed: an uptime that is less than it was is that of a machine started since.
    private static func passed(since earlier: Int64, at uptime: Int64) -> Int64 {
        earlier <= uptime ? uptime - max(0, earlier) : max(0, uptime)
    }
}
