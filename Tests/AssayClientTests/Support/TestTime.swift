import AssayClient
import Synchronization

/// The time of a client that sleeps by moving its clock, and whose chance is always the middle: no jitter.
final class TestTime: Sendable {
    private struct State {
        var now = Duration.zero
        var pauses: [Duration] = []
        var onPause: @Sendable (Int) async throws -> Void = { _ in }
    }
    private let state = Mutex(State())

    /// The pauses so far.
    var pauses: [Duration] { state.withLock { $0.pauses } }

    /// Does something in place of each pause, which is told its number from 1.
    func onPause(_ action: @escaping @Sendable (Int) async throws -> Void) { state.withLock { $0.onPause = action } }

    var time: ClientTime {
        ClientTime(
            now: { self.state.withLock { $0.now } },
            sleep: { duration in
                let (number, action) = self.state.withLock { state in
                    state.now += duration
                    state.pauses.append(duration)
                    return (state.pauses.count, state.onPause)
                }
                try await action(number)
                try Task.checkCancellation()
            }, chance: { 0.5 })
    }
}
