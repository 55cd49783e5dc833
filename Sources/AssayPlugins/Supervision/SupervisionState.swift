import AssayCore

/// The state of one entry's processes and calls. Its functions do no I/O; what is to be done they put into the effects.
struct SupervisionState {
    typealias Instant = ContinuousClock.Instant

    enum Ending {
        case drained(PluginSupervisor?)
        case stopped
    }

    /// Why the daemon ended a process. The words are counted.
    enum KillReason: String, CaseIterable, Hashable, Sendable {
        case deadline, silence, connection
        case answersNotRead = "answers_not_read"

        var sentence: String {
            switch self {
            case .deadline: "a call was not answered within deadline and grace"
            case .silence: "a ping was not answered"
            case .connection: "it ended the connection, or sent what the protocol does not allow"
            case .answersNotRead: "it sent pings or calls and did not read the answers (\(rawValue))"
            }
        }
    }

    struct Process {
        let session: PluginSession
        let startedAt: Timestamp
        let gone = Promise<Void>()
        var inFlight: [UInt64: InFlight] = [:]
        /// Bytes of evidence in flight.
        var bytes = 0
        /// Takes no more calls: the half-close has begun.
        var isClosing = false
        var isPinging = false
        /// When it answered last.
        var heard: Instant
        var killed: KillReason?
        /// Known when the process has ended and all its answers are read.
        var end: ProcessEnd?

        init(_ session: PluginSession, startedAt: Timestamp, now: Instant) {
            (self.session, self.startedAt, heard) = (session, startedAt, now)
        }
    }

    struct InFlight {
        let call: SupervisedCall
        /// When its caller is answered.
        let due: Instant
        var isExpired = false
        /// The process was killed because of it.
        var isBlamed = false
        /// No answer comes any more.
        var isLost = false
    }

    struct Waiting {
        let call: SupervisedCall
        let due: Instant
    }

    struct WaitingAlone {
        let call: SupervisedCall
        let suspicion: Suspicion
        let due: Instant
    }

    /// A call that is handed to a process.
    struct Begin {
        let call: SupervisedCall
        let id: UInt64
        let process: UInt64
        let session: PluginSession
    }

    /// Bytes of evidence that one process has at a time: less than its connection keeps for a plugin that does not read.
    static let bytesInFlight = 3 << 20
    /// Suspects that wait to be judged alone.
    static let aloneLimit = 256

    let id: String
    let limits: PluginEntry.Limits
    let times: SupervisionTimes
    var isEnabled: Bool
    var ending: Ending?
    var refusal: String?
    /// Of the last start that failed, or the last death.
    var problem: String?
    var schedule: RestartSchedule
    var starting = 0
    private var lastNumber: UInt64 = 0
    var processes: [UInt64: Process] = [:]
    var queue = WaitingCalls()
    var aloneQueue: [WaitingAlone] = []
    var aloneTask: Task<Void, Never>?
    var isAloneRunning = false
    var aloneSession: PluginSession?
    var description: PluginDescription?
    var configurationDigest: [UInt8]?
    var report: LauncherReport?
    var health: String?
    var lastLines: [String] = []
    var counts = PluginStatus.Counts()
    /// Processes that the daemon ended.
    var kills: [KillReason: UInt64] = [:]
    /// When the watching task wakes by itself; `nil`: it does not.
    var watchDue: Instant?

    init(_ entry: PluginEntry, _ times: SupervisionTimes, isEnabled: Bool) {
        (id, limits, self.times, self.isEnabled) = (entry.id, entry.limits, times, isEnabled)
        schedule = RestartSchedule(entry.restart)
    }

    mutating func newNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    var isReady: Bool { processes.values.contains { !$0.isClosing && $0.end == nil && $0.killed == nil } }

    // MARK: What operators see

    var phase: PluginStatus.State {
        if ending != nil { return .stopped }
        if !isEnabled { return .disabled }
        if isReady { return .ready }
        if refusal != nil { return .refused }
        if case .open = schedule.breaker { return .broken }
        return starting > 0 || problem == nil ? .starting : .waiting
    }

    var problemNow: String? {
        switch phase {
        case .ready: nil
        case .starting: problem.map { "it is being started again: \($0)" } ?? "it is being started"
        case .waiting: problem
        case .broken: "it ended too often, and is not started for a while: \(problem ?? "")"
        case .refused: refusal
        case .disabled, .stopped: nil
        }
    }

    /// Why a call is refused at once; `nil` if it may wait for a process.
    func refusal(at now: Instant) -> PluginUnavailable? {
        switch phase {
        case .ready, .starting, .waiting: return nil
        case .stopped: return PluginUnavailable(.stopped, "the plugin \(id) is stopped")
        case .disabled: return PluginUnavailable(.disabled, "the plugin \(id) is disabled")
        case .refused: return PluginUnavailable(.refused, "the plugin \(id) cannot be started")
        case .broken:
            var delay: Duration?
            if case .open(let until) = schedule.breaker { delay = max(until - now, .zero) }
            return PluginUnavailable(.broken, "the plugin \(id) ended too often", retryAfter: delay)
        }
    }

    // MARK: Calls

    /// Calls that one process may have at present: one while the plugin is tried after it ended too often.
    private var concurrency: Int { schedule.breaker == .halfOpen ? 1 : max(limits.concurrency, 1) }

    /// The process with the fewest calls that has room.
    private func process(for call: SupervisedCall) -> UInt64? {
        var best: (id: UInt64, count: Int)?
        for (id, process) in processes where process.takes(call, concurrency: concurrency) {
            if process.inFlight.count < best?.count ?? .max { best = (id, process.inFlight.count) }
        }
        return best?.id
    }

    /// Hands a call to a process, or lets it wait.
    mutating func take(_ call: SupervisedCall, at now: Instant, _ effects: inout SupervisionEffects) {
        if case .drained(let successor?) = ending { return effects.forwards.append((call, successor)) }
        if let refusal = refusal(at: now) { return effects.answers.append((call, .failure(refusal))) }
        if queue.isEmpty, let process = process(for: call) { return begin(call, on: process, at: now, &effects) }
        guard queue.count < limits.queue, queue.bytes + call.size <= limits.queueBytes else {
            let error = PluginUnavailable(
                .busy, "\(queue.count) calls wait for the plugin \(id) already", retryAfter: limits.deadline)
            return effects.answers.append((call, .failure(error)))
        }
        queue.append(Waiting(call: call, due: now + limits.deadline))
        watch(now + limits.deadline, &effects)
    }

    mutating func begin(
        _ call: SupervisedCall, on process: UInt64, at now: Instant, _ effects: inout SupervisionEffects
    ) {
        guard let session = processes[process]?.session else { return }
        let number = newNumber()
        let due = now + limits.deadline
        processes[process]?.inFlight[number] = InFlight(call: call, due: due)
        processes[process]?.bytes += call.size
        if call.isForCaller { counts.calls += 1 }
        effects.begins.append(Begin(call: call, id: number, process: process, session: session))
        watch(due, &effects)
    }

    /// Hands calls that wait to processes with space, and ends processes that are not wanted and have nothing left.
    mutating func dispatch(at now: Instant, _ effects: inout SupervisionEffects) {
        while let next = queue.first {
            guard !next.call.isAnswered else {
                queue.removeFirst()
                continue
            }
            guard let process = process(for: next.call) else { break }
            queue.removeFirst()
            begin(next.call, on: process, at: now, &effects)
        }
        if ending != nil || !isEnabled { close(&effects) }
    }

    /// Removes a call whose caller went away from the queues.
    mutating func drop(_ call: SupervisedCall) {
        queue.remove(call)
        aloneQueue.removeAll { $0.call === call }
    }

    /// Lets the watching task look at this instant at the latest.
    mutating func watch(_ due: Instant, _ effects: inout SupervisionEffects) {
        guard watchDue.map({ due < $0 }) ?? true else { return }
        watchDue = due
        effects.wakesWatch = true
    }

    // MARK: The end

    /// Ends the processes that are not wanted any more, as far as they may end now.
    mutating func close(_ effects: inout SupervisionEffects) {
        switch ending {
        case .drained(let successor):
            // What waits is answered by the processes that are ready, or else by the successor.
            if !isReady { leave(queue.removeAll(), to: successor, &effects) }
        case .stopped:
            leave(queue.removeAll() + aloneQueue.map(\.call), to: nil, &effects)
            aloneQueue = []
        case nil:
            guard !isEnabled else { return }
            let error = PluginUnavailable(.disabled, "the plugin \(id) is disabled")
            effects.answers += (queue.removeAll() + aloneQueue.map(\.call)).map { ($0, .failure(error)) }
            aloneQueue = []
        }
        var isStopped = false
        if case .stopped = ending { isStopped = true }
        for (id, process) in processes where !process.isClosing && process.end == nil {
            guard isStopped || (process.inFlight.isEmpty && queue.isEmpty) else { continue }
            processes[id]?.isClosing = true
            effects.closes.append(process.session)
        }
        effects.wakesWatch = true
    }

    private func leave(
        _ calls: [SupervisedCall], to successor: PluginSupervisor?, _ effects: inout SupervisionEffects
    ) {
        let error = PluginUnavailable(.stopped, "the plugin \(id) is stopped")
        for call in calls {
            if let successor {
                effects.forwards.append((call, successor))
            } else {
                effects.answers.append((call, .failure(error)))
            }
        }
    }

    /// Nothing is left to be watched.
    var isOver: Bool { ending != nil && processes.isEmpty && queue.isEmpty && aloneQueue.isEmpty && !isAloneRunning }
}

extension SupervisionState.Process {
    fileprivate func takes(_ call: SupervisedCall, concurrency: Int) -> Bool {
        guard !isClosing, end == nil, killed == nil else { return false }
        return inFlight.isEmpty
            || (inFlight.count < concurrency && bytes + call.size <= SupervisionState.bytesInFlight)
    }
}

/// The calls that wait for a process, in their order.
struct WaitingCalls {
    private var all: [SupervisionState.Waiting] = []
    private var start = 0
    private(set) var bytes = 0

    var count: Int { all.count - start }
    var isEmpty: Bool { count == 0 }
    var first: SupervisionState.Waiting? { waiting.first }
    var calls: [SupervisedCall] { waiting.map(\.call) }
    private var waiting: ArraySlice<SupervisionState.Waiting> { all[start...] }

    mutating func append(_ call: SupervisionState.Waiting) {
        all.append(call)
        bytes += call.call.size
    }

    mutating func removeFirst() {
        guard let first else { return }
        bytes -= first.call.size
        start += 1
        // Amortised: each call is moved at most once.
        if start > 64, start * 2 > all.count {
            all.removeFirst(start)
            start = 0
        }
    }

    mutating func removeAll() -> [SupervisedCall] {
        defer { self = WaitingCalls() }
        return calls
    }

    mutating func remove(_ call: SupervisedCall) {
        guard let index = waiting.firstIndex(where: { $0.call === call }) else { return }
        all.remove(at: index)
        bytes -= call.size
    }
}
