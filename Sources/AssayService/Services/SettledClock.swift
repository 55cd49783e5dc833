package import AssayCore
import Synchronization

/// The wall clock, but for leaps ahead, which are followed only when they have lasted longer than any challenge lives.
///
/// What forgets for good goes by it: a clock that runs ahead for some minutes would otherwise raise the spent horizon to a
/// time at which nothing is accepted for as long as the leap was wide. To forget late costs nothing but space.
package final class SettledClock: WallClock {
    /// How far the clock may run ahead of the time that passes, in milliseconds, before it counts as a leap.
    package static let slack: Int64 = 60_000
    /// How long a leap must last, in milliseconds: the longest time to live, and skew.
    package static let patience = ChallengeRule.longest + Freshness.skew

    private struct State {
        /// The last time that was believed, and how long the machine had been up then.
        var believed: Timestamp
        var at: Duration
        var aheadSince: Duration?
    }

    private let clock: any WallClock
    private let uptime: @Sendable () -> Duration
    private let state: Mutex<State>

    /// - Parameter uptime: since some instant in the past; it never leaps.
    package init(_ clock: any WallClock, uptime: (@Sendable () -> Duration)? = nil) {
        let start = ContinuousClock.now
        self.clock = clock
        self.uptime = uptime ?? { ContinuousClock.now - start }
        state = Mutex(State(believed: clock.now(), at: self.uptime()))
    }

    /// False while the wall clock has leapt ahead and is not followed yet.
    package var followsTheWall: Bool {
        let wall = clock.now()
        return wall.milliseconds(since: now()) <= Self.slack
    }

    package func now() -> Timestamp {
        let (wall, up) = (clock.now(), uptime())
        return state.withLock { state in
            let expected = state.believed.adding(milliseconds: (up - state.at).wholeMilliseconds)
            if wall.milliseconds(since: expected) > Self.slack {
                let since = state.aheadSince ?? up
                state.aheadSince = since
                guard (up - since).wholeMilliseconds >= Self.patience else { return expected }
            }
            state = State(believed: wall, at: up)
            return wall
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
