import Synchronization

/// The task of one call. It may be cancelled before it starts.
struct CallTask: ~Copyable, Sendable {
    // Not private: Swift 6.3.1 crashes on a private type in the layout of a noncopyable value that another file stores.
    enum State {
        case waiting
        case started(Task<Void, Never>)
        case cancelled
    }

    private let state = Mutex(State.waiting)

    func start(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            switch state {
            case .waiting: state = .started(Task(operation: work))
            // The task runs all the same, because it releases the call.
            case .cancelled: Task(operation: work).cancel()
            case .started: break
            }
        }
    }

    func cancel() {
        state.withLock { state in
            if case .started(let task) = state { task.cancel() }
            state = .cancelled
        }
    }
}
