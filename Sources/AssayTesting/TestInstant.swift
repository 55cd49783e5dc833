import Synchronization

/// An instant of the continuous clock that changes only when a test advances it.
package final class TestInstant: Sendable {
    private let state = Mutex(ContinuousClock.now)

    package init() {}

    package var now: ContinuousClock.Instant { state.withLock { $0 } }
    package func advance(_ duration: Duration) { state.withLock { $0 = $0.advanced(by: duration) } }
}
