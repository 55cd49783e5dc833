import Synchronization

/// The order in which calls start. The executor runs tasks in the order of their creation, so one caller's 4,000 calls would delay
/// every other caller's next call. The executor therefore gets only as many tasks as it can begin soon; the others wait in this
/// queue, and callers take turns of equal cost.
///
/// A task takes a slot when it is created and gives it back when it begins to run. A task that waits for a commit or for another
/// service holds no slot. While a slot is free, a call costs one short lock, and no task or thread more than without the queue.
final class CallQueue: Sendable {
    /// Creates a task that calls ``begun()`` before anything else.
    typealias Start = @Sendable () -> Void

    /// What a call costs beside a unit for each byte of its message. Measured in units: a challenge is 0.6 k, an assertion 1.1 k, a
    /// chain of certificates 6 k, which is about how the times of the processor for them relate.
    static let callCost = 512
    /// The cost of a turn: a chunk of as many calls and bytes as a chunk may have.
    static let turn = CallChunks.largest * callCost + CallChunks.bytes

    private struct State {
        /// Tasks that were created and have not begun. All slots are taken while something waits.
        var started = 0
        var waiting = FairQueue<ObjectIdentifier, Start>(quantum: CallQueue.turn)
        var waitingCount = 0
        var pace = QueuePace()
    }

    private let slots: Int
    private let state = Mutex(State())
    /// Whether anything waits: most of the time nothing does, and then a call asks no more than this.
    private let isWaiting = Atomic(false)

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
    /// - Parameters:
    ///   - cost: of the entry, see ``callCost``. The default is a whole turn.
    ///   - start: called once, from any thread, possibly before this returns.
    func add(of caller: CallerUsage, cost: Int = turn, _ start: @escaping Start) {
        let isNext = state.withLock { state in
            guard state.started < slots else {
                if state.waitingCount == 0 {
                    state.pace.begin()
                    isWaiting.store(true, ordering: .relaxed)
                }
                state.waiting.append(start, of: ObjectIdentifier(caller), cost: cost)
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

    /// How long a further entry of a caller would wait until it has been begun and worked on, as the queue has moved lately; `nil`
    /// while nothing waits, or nothing is known yet.
    func expectedWait(of caller: CallerUsage, cost: Int) -> Duration? {
        guard isWaiting.load(ordering: .relaxed) else { return nil }
        return state.withLock { state in
            guard state.waitingCount > 0 else { return nil }
            return state.pace.time(of: state.waiting.costUntilTaken(of: ObjectIdentifier(caller), cost: cost))
        }
    }

    /// A task has begun to run: the next entry gets its slot.
    func begun() {
        let next = state.withLock { state -> Start? in
            guard let next = state.waiting.popNext() else {
                state.started -= 1
                return nil
            }
            state.waitingCount -= 1
            state.pace.moved(next.cost)
            if state.waitingCount == 0 { isWaiting.store(false, ordering: .relaxed) }
            return next.element
        }
        next?()
    }
}

/// How fast a queue moves while something waits in it: time for each unit of cost. A time in which it was empty says nothing, and what
/// it did before is not what it does now, so each time it fills the pace is measured again.
struct QueuePace: Sendable {
    /// What must have been taken before the pace says anything.
    static let leastCost = 8 * CallQueue.turn
    /// Older movement counts half each time as much time has passed.
    static let memory: Duration = .seconds(1)

    private var time: Duration = .zero
    private var cost = 0
    private var last = ContinuousClock.now

    /// The first entry waits.
    mutating func begin(at now: ContinuousClock.Instant = .now) { (time, cost, last) = (.zero, 0, now) }

    /// An entry was taken.
    mutating func moved(_ taken: Int, at now: ContinuousClock.Instant = .now) {
        time += last.duration(to: now)
        (cost, last) = (cost + taken, now)
        guard time > Self.memory, cost > 2 * Self.leastCost else { return }
        (time, cost) = (time / 2, cost / 2)
    }

    /// How long the queue takes for entries of this cost. A queue that stands still becomes slower with time.
    func time(of cost: Int, at now: ContinuousClock.Instant = .now) -> Duration? {
        guard self.cost >= Self.leastCost else { return nil }
        return (time + last.duration(to: now)) * (Double(cost) / Double(self.cost))
    }
}
