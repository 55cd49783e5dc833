import Synchronization

/// The answer to one request: the first that is given counts, be it the token's or the deadline's.
final class PendingAnswer<Value: Sendable>: Sendable {
    typealias Answer = Result<Value, TokenError>

    private enum State {
        case open(CheckedContinuation<Answer, Never>?)
        case given(Answer)
    }

    private let state = Mutex(State.open(nil))

    var isGiven: Bool {
        state.withLock { state in
            if case .given = state { true } else { false }
        }
    }

    func give(_ answer: Answer) {
        let waiting = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard case .open(let waiting) = state else { return nil }
            state = .given(answer)
            return waiting
        }
        waiting?.resume(returning: answer)
    }

    /// Called once.
    func value() async -> Answer {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Answer? in
                if case .given(let answer) = state { return answer }
                state = .open(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
