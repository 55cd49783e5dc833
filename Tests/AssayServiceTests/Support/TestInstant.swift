import Synchronization

/// An instant that stands still until a test moves it.
final class TestInstant: Sendable {
    private let state = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { state.withLock { $0 } }
    func advance(_ duration: Duration) { state.withLock { $0 = $0.advanced(by: duration) } }
}
