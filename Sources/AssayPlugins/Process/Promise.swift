import Synchronization

/// A value that comes later, once.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Value, Never>])
        case fulfilled(Value)
    }

    private let state = Mutex(State.waiting([]))

    /// The first value counts.
    func fulfil(_ value: Value) {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard case .waiting(let waiting) = state else { return [] }
            state = .fulfilled(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    var current: Value? {
        state.withLock { state in
            if case .fulfilled(let value) = state { value } else { nil }
        }
    }

    /// Suspends until there is a value, whether or not the task is cancelled.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    switch state {
                    case .fulfilled(let value): return value
                    case .waiting(let others):
                        state = .waiting(others + [continuation])
                        return nil
                    }
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
