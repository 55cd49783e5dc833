import AssayCore
import Logging
import Synchronization

/// Keeps the processes of one entry of the catalog running, and hands calls to them.
///
/// A call waits in the queue until a process is free, for at most its deadline. From the write of its frame it has its deadline again: then the caller
/// is answered, and after the grace the process is killed. A process that ends is started again after a delay.
package final class PluginSupervisor: Sendable {
    package let entry: PluginEntry
    let environment: PluginEnvironment
    let quarantine: Quarantine
    let host: any PluginHost
    /// SHA-256 over the manifest.
    private let digest: [UInt8]
    let log: SupervisionLog
    let state: Mutex<SupervisionState>
    let observation = Mutex(ObservedVerdicts())
    /// One for each process of the entry.
    let slots: [Wakeup]
    /// Of the task that answers calls at their deadlines.
    let watch = Wakeup()
    /// What came of the first start.
    let firstStart = Promise<FirstStart>()
    private let onChange: @Sendable (PluginSupervisor) -> Void
    private let tasks = Mutex<(slots: [Task<Void, Never>], watch: Task<Void, Never>?)>(([], nil))

    enum FirstStart: Hashable, Sendable {
        case ready
        /// Trying again helps only after a change.
        case refused(String)
        case failed(String)
        case disabled
        case stopped
    }

    /// - Parameter onChange: called when the description or the readiness changes, outside of locks.
    init(
        _ entry: PluginEntry, _ environment: PluginEnvironment, _ quarantine: Quarantine, isEnabled: Bool,
        onChange: @escaping @Sendable (PluginSupervisor) -> Void
    ) {
        (self.entry, self.environment, self.quarantine, self.onChange) = (entry, environment, quarantine, onChange)
        (host, digest) = (environment.host(entry), entry.manifest.digest)
        log = SupervisionLog(environment.logger, plugin: entry.id)
        slots = (0..<max(entry.limits.processes, 1)).map { _ in Wakeup() }
        state = Mutex(SupervisionState(entry, environment.times, isEnabled: isEnabled))
    }

    /// What the plugin measures, over all its processes.
    package var measures: PluginMeasures { host.measures }

    // MARK: Life

    /// Starts the processes. Called once.
    func start() {
        if !state.withLock({ $0.isEnabled }) { firstStart.fulfil(.disabled) }
        let slots = slots.indices.map { slot in Task { await self.keepRunning(slot) } }
        let watch = Task { await self.watchDeadlines() }
        tasks.withLock { $0 = (slots, watch) }
    }

    /// Hands new calls to the successor, lets the processes answer what they have and what waits, and ends them by half-close.
    ///
    /// - Parameter successor: `nil`: the entry has left the catalog, and calls are answered UNAVAILABLE.
    func drain(to successor: PluginSupervisor?) {
        update { state, effects in
            guard state.ending == nil else { return }
            state.ending = .drained(successor)
            state.close(&effects)
        }
        wakeAll()
    }

    /// Answers what waits UNAVAILABLE, gives what is in flight the stop grace, and ends the processes.
    func stop() async {
        update { state, effects in
            state.ending = .stopped
            state.close(&effects)
            if let alone = state.aloneSession { effects.kills.append(alone) }
        }
        for task in tasks.withLock({ $0.slots }) { task.cancel() }
        state.withLock { $0.aloneTask }?.cancel()
        wakeAll()
        await finished()
    }

    /// Suspends until all processes have ended after ``drain(to:)`` or ``stop()``.
    func finished() async {
        let (slots, watch) = tasks.withLock { $0 }
        for slot in slots { await slot.value }
        await state.withLock { $0.aloneTask }?.value
        self.watch.wake()
        await watch?.value
        firstStart.fulfil(.stopped)
    }

    /// Lets processes run, closes an open circuit breaker, and tries again what was refused.
    func enable() {
        update { state, effects in
            state.isEnabled = true
            state.refusal = nil
            state.schedule.reset()
            effects.isChanged = true
        }
        wakeAll()
    }

    /// Ends the processes when they have answered what they have.
    func disable() async {
        let gone = update { state, effects in
            state.isEnabled = false
            state.close(&effects)
            effects.isChanged = true
            return state.processes.values.map(\.gone)
        }
        wakeAll()
        for process in gone { await process.value }
    }

    private func wakeAll() {
        for slot in slots { slot.wake() }
        watch.wake()
    }

    // MARK: What is known

    /// What the plugin said of itself at the last start that succeeded.
    package var description: PluginDescription? { state.withLock { $0.description } }

    /// SHA-256 of the configuration that the plugin was given last, with the content of secret files.
    var configurationDigest: [UInt8]? { state.withLock { $0.configurationDigest } }

    /// Why calls are answered UNAVAILABLE at present; `nil` while a process is ready.
    package var outage: String? { state.withLock { $0.problemNow } }

    package var status: PluginStatus {
        let quarantined = quarantine.count(of: entry.id)
        return state.withLock { state in
            var counts = state.counts
            counts.quarantined = UInt64(quarantined)
            return PluginStatus(
                state: state.phase, problem: state.problemNow, description: state.description, report: state.report,
                processes: state.processes.sorted { $0.key < $1.key }.map {
                    PluginStatus.Process(id: $1.session.process.id, startedAt: $1.startedAt, inFlight: $1.inFlight.count)
                },
                queued: state.queue.count + state.aloneQueue.count, counts: counts, health: state.health,
                lastLines: state.lastLines, digest: digest)
        }
    }

    /// Processes that the daemon ended, by the reason's word; each reason has an entry.
    package var kills: [(reason: String, count: UInt64)] {
        let kills = state.withLock { $0.kills }
        return SupervisionState.KillReason.allCases.map { ($0.rawValue, kills[$0, default: 0]) }
    }

    /// Counts whether a shadow's judgement agreed with the one that decided.
    package func count(agreement: Bool) {
        state.withLock { state in
            if agreement { state.counts.agreements += 1 } else { state.counts.differences += 1 }
        }
    }

    // MARK: Changes of the state

    /// Changes the state, and then does what follows, outside of the lock.
    @discardableResult
    func update<T: Sendable>(_ body: (inout SupervisionState, inout SupervisionEffects) -> T) -> T {
        var effects = SupervisionEffects()
        let result = state.withLock { body(&$0, &effects) }
        perform(effects)
        return result
    }

    private func perform(_ effects: SupervisionEffects) {
        for line in effects.lines { log.write(line) }
        for session in effects.kills { session.process.kill() }
        for begin in effects.begins { self.begin(begin) }
        for session in effects.closes {
            let grace = environment.times.stopGrace
            Task { _ = await session.close(grace: grace) }
        }
        for (call, answer) in effects.answers { call.answer(answer) }
        for (call, suspicion) in effects.alone { submitAlone(call, suspicion) }
        for (call, successor) in effects.forwards { successor.resubmit(call) }
        for gone in effects.gone { gone.fulfil(()) }
        if effects.wakesSlots { for slot in slots { slot.wake() } }
        if effects.wakesWatch { watch.wake() }
        if effects.isChanged { onChange(self) }
    }
}

/// What follows from a change of the state.
struct SupervisionEffects {
    var begins: [SupervisionState.Begin] = []
    var answers: [(SupervisedCall, SupervisedCall.Answer)] = []
    /// Calls that waited, and whose evidence is suspected since.
    var alone: [(SupervisedCall, Suspicion)] = []
    var forwards: [(SupervisedCall, PluginSupervisor)] = []
    var closes: [PluginSession] = []
    var kills: [PluginSession] = []
    var gone: [Promise<Void>] = []
    var lines: [SupervisionLog.Line] = []
    var wakesSlots = false
    var wakesWatch = false
    var isChanged = false
}
