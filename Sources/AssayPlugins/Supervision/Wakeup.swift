import Synchronization

/// Lets one task sleep until an instant, or until it is woken.
final class Wakeup: Sendable {
    private struct State {
        var sleeper: CheckedContinuation<Void, Never>?
        /// A wake that came while nothing slept: the next sleep ends at once.
        var isDue = false
        /// Of the current sleep: a timer of an earlier one has no effect.
        var number: UInt64 = 0
    }

    private let state = Mutex(State())

    /// - Parameter instant: `nil`: until it is woken.
    func sleep(until instant: ContinuousClock.Instant?) async {
        var timer: Task<Void, Never>?
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let number = state.withLock { state -> UInt64? in
                if state.isDue {
                    state.isDue = false
                    return nil
                }
                state.sleeper = continuation
                state.number += 1
                return state.number
            }
            guard let number else { return continuation.resume() }
            guard let instant else { return }
            timer = Task {
                guard (try? await Task.sleep(until: instant, clock: .continuous)) != nil else { return }
                self.end(number)
            }
        }
        timer?.cancel()
    }

    func wake() {
        state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let sleeper = state.sleeper else {
                state.isDue = true
                return nil
            }
            state.sleeper = nil
            return sleeper
        }?.resume()
    }

    private func end(_ number: UInt64) {
        state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.number == number, let sleeper = state.sleeper else { return nil }
            state.sleeper = nil
            return sleeper
        }?.resume()
    }
}
