import Synchronization

/// The order in which calls get to the processors. The executor runs tasks in the order in which they came, so that one caller's
/// four thousand calls would stand before everyone else's next one. It is therefore given only as many tasks as it can begin soon;
/// the rest waits here, and callers take turns.
///
/// A place is held from the start of a task until the task runs. What has begun holds none: work that waits for a commit or for
/// another service keeps nothing from beginning. While there is a free place a call costs a short lock here, and no task or
/// thread more than without the queue.
final class CallQueue: Sendable {
    /// Starts a task that calls ``begun()`` first of all.
    typealias Start = @Sendable () -> Void

    private struct State {
        /// Tasks that were started and have not begun. While something waits, as many as there may be.
        var started = 0
        var waiting = FairQueue<ObjectIdentifier, Start>()
    }

    private let places: Int
    private let state = Mutex(State())

    /// - Parameter places: tasks that may be started and not begun.
    init(places: Int) { self.places = max(1, places) }

    /// Takes a place, if there is one. Then the caller starts its task itself, so that nothing is allocated for waiting.
    func enter() -> Bool {
        state.withLock { state in
            guard state.started < places else { return false }
            state.started += 1
            return true
        }
    }

    /// Starts a task when it is its caller's turn. What one caller adds is started in that order.
    ///
    /// - Parameter start: called once, from any thread, maybe before this returns.
    func add(of caller: CallerUsage, _ start: @escaping Start) {
        let isNext = state.withLock { state in
            guard state.started < places else {
                state.waiting.append(start, of: ObjectIdentifier(caller))
                return false
            }
            state.started += 1
            return true
        }
        if isNext { start() }
    }

    /// A task has got a processor: its place goes to the next one.
    func begun() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.started -= 1 }
            return next
        }
        next?()
    }
}
