import Synchronization

/// The task of a call that may have to wait before it is started, and may be given up before.
final class CallTask: Sendable {
    private enum State {
        case waiting
        case started(Task<Void, Never>)
        case cancelled
    }

    private let state = Mutex(State.waiting)

    func start(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            switch state {
            case .waiting: state = .started(Task(operation: work))
            // It still has to let go of its call.
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
