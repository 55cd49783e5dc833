import Synchronization

/// The order in which calls start. The executor runs tasks in the order of their creation, so one caller's 4,000 calls would delay
/// every other caller's next call. The executor therefore gets only as many tasks as it can begin soon; the others wait in this
/// queue, and callers take turns.
///
/// A task takes a slot when it is created and gives it back when it begins to run. A task that waits for a commit or for another
/// service holds no slot. While a slot is free, a call costs one short lock, and no task or thread more than without the queue.
final class CallQueue: Sendable {
    /// Creates a task that calls ``begun()`` before anything else.
    typealias Start = @Sendable () -> Void

    private struct State {
        /// Tasks that were created and have not begun. All slots are taken while something waits.
        var started = 0
        var waiting = FairQueue<ObjectIdentifier, Start>()
        var waitingCount = 0
    }

    private let slots: Int
    private let state = Mutex(State())

    /// - Parameter slots: tasks that may be created and not begun.
    init(slots: Int) { self.slots = max(1, slots) }

    /// Takes a free slot. The caller then creates its task itself, so nothing is allocated for waiting. False: none is free.
    func enter() -> Bool {
        state.withLock { state in
            guard state.started < slots else { return false }
            state.started += 1
            return true
        }
    }

    /// Calls `start` when it is the caller's turn. The entries of one caller start in their order.
    ///
    /// - Parameter start: called once, from any thread, possibly before this returns.
    func add(of caller: CallerUsage, _ start: @escaping Start) {
        let isNext = state.withLock { state in
            guard state.started < slots else {
                state.waiting.append(start, of: ObjectIdentifier(caller))
                state.waitingCount += 1
                return false
            }
            state.started += 1
            return true
        }
        if isNext { start() }
    }

    /// Entries that wait for a slot.
    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// A task has begun to run: the next entry gets its slot.
    func begun() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.started -= 1 } else { state.waitingCount -= 1 }
            return next
        }
        next?()
    }
}
