public import AssayCore
import Synchronization

/// A clock that changes only when a test sets it.
public final class FixedClock: WallClock {
    private let time: Mutex<Timestamp>

    public init(_ time: Timestamp) { self.time = Mutex(time) }

    public func now() -> Timestamp { time.withLock { $0 } }
    public func set(_ time: Timestamp) { self.time.withLock { $0 = time } }
    /// Moves the clock forward; back, if `milliseconds` is negative.
    public func advance(milliseconds: Int64) { time.withLock { $0 = $0.adding(milliseconds: milliseconds) } }
}

/// An instant of the continuous clock that changes only when a test advances it.
package final class TestInstant: Sendable {
    private let state = Mutex(ContinuousClock.now)

    package init() {}

    package var now: ContinuousClock.Instant { state.withLock { $0 } }
    package func advance(_ duration: Duration) { state.withLock { $0 = $0.advanced(by: duration) } }
}
