import AssayAPI
package import AssayCore
import Synchronization

/// Records verdicts for operators, beside the way of a request: nothing waits for a record, and what cannot be kept is dropped and counted.
///
/// Records are made while the group is answered, and encoded and written by the store. An acceptance costs a comparison, unless the rule asks for
/// it to be recorded. In a flood, one record stands for many (`FloodSampler`), which are counted only.
package final class VerdictRecorder: AnswerFollower {
    /// `nil`: nothing is recorded.
    private let store: (any VerdictRecordStore)?
    private let subjects: SubjectKey?
    private let clock: any WallClock
    private let state: Mutex<State>
    /// `VerdictRecordRule.recorded` of the rule in force.
    private let recorded: Atomic<UInt8>

    fileprivate struct State {
        var rule: VerdictRecordRule
        var sampler: FloodSampler
        var counts = Counts()
    }

    /// Since the start.
    package struct Counts: Hashable, Sendable {
        /// Records that were handed to the store.
        package var made: UInt64 = 0
        /// Verdicts that another record stands for.
        package var sampled: UInt64 = 0
    }

    package init(
        _ store: any VerdictRecordStore, _ rule: VerdictRecordRule, subjects: SubjectKey, clock: any WallClock
    ) {
        (self.store, self.subjects, self.clock) = (store, subjects, clock)
        state = Mutex(State(rule: rule, sampler: FloodSampler(rule)))
        recorded = Atomic(rule.recorded.rawValue)
    }

    /// Records nothing, for a daemon without a store.
    package init() {
        (store, subjects, clock) = (nil, nil, SystemClock())
        let rule = VerdictRecordRule()
        state = Mutex(State(rule: rule, sampler: FloodSampler(rule)))
        recorded = Atomic(VerdictRecordRule.Recorded.none.rawValue)
    }

    /// Follows the configuration.
    package func use(_ rule: VerdictRecordRule) {
        guard let store else { return }
        let ended = state.withLock { state in
            defer { state = State(rule: rule, sampler: FloodSampler(rule), counts: state.counts) }
            return state.sampler.settle(at: clock.now())
        }
        recorded.store(rule.recorded.rawValue, ordering: .relaxed)
        store.append(ended)
        store.keep(rule.limits, now: clock.now())
    }

    // MARK: Recording

    /// Records a group's answers. Never waits.
    package func follow(_ group: inout AnsweredRequests) {
        let (requests, answers) = (group.requests, group.answers)
        guard let store, let recorded = VerdictRecordRule.Recorded(rawValue: recorded.load(ordering: .relaxed)),
            recorded != .none,
            answers.contains(where: { $0.isRecorded(recorded) })
        else { return }
        var kept: [VerdictRecord] = []
        state.withLock { state in
            for (request, answer) in zip(requests, answers) {
                guard let reason = answer.recordedReason(recorded) else { continue }
                let kind = FloodSampler.Kind(
                    app: request.request.app, caller: request.caller.name, reason: reason, isReported: answer.isReported)
                state.take(kind, at: request.now, into: &kept) { record(request, answer) }
            }
        }
        store.append(kept)
    }

    /// The record of an answer of which something is recorded.
    private func record(_ request: AuthorizedRequest, _ answer: Answer) -> VerdictRecord? {
        let subject = subjects?.hash(request.request.subject, app: request.request.app) ?? []
        return VerdictRecord(request, answer, subject: subject)
    }

    /// Records what came of a device of a fleet, if it is no acceptance.
    package func follow(_ outcome: ProvisioningOutcome) {
        guard let store, recorded.load(ordering: .relaxed) != VerdictRecordRule.Recorded.none.rawValue,
            let record = VerdictRecord(outcome), let reason = record.reason?.code
        else { return }
        var kept: [VerdictRecord] = []
        state.withLock { state in
            let kind = FloodSampler.Kind(app: record.request.app, caller: record.request.caller, reason: reason)
            state.take(kind, at: record.request.time, into: &kept) { record }
        }
        store.append(kept)
    }

    // MARK: Reading

    package var counts: Counts { state.withLock { $0.counts } }

    /// The store, with everything that was judged before the call; `nil` if nothing is recorded.
    func settled() -> (any VerdictRecordStore)? {
        guard let store else { return nil }
        let now = clock.now()
        store.append(state.withLock { $0.sampler.settle(at: now) })
        return store
    }

    /// `nil` if nothing is recorded.
    package var status: VerdictRecordStatus? { store?.status }
}

/// Ends runs of floods that are over, and drops what is too old.
extension VerdictRecorder: MaintenanceTask {
    package func perform() {
        guard let store else { return }
        let now = clock.now()
        let (ended, limits) = state.withLock { ($0.sampler.settle(at: now, keeping: true), $0.rule.limits) }
        store.append(ended)
        store.keep(limits, now: now)
    }

    package func conclude() { _ = settled() }
}

extension FloodSampler {
    init(_ rule: VerdictRecordRule) { self.init(full: rule.fullPerMinute, length: rule.sampledBy) }
}

extension VerdictRecorder.State {
    fileprivate mutating func take(
        _ kind: FloodSampler.Kind, at now: Timestamp, into kept: inout [VerdictRecord], _ record: () -> VerdictRecord?
    ) {
        var isOwn = false
        let before = kept.count
        sampler.take(kind, at: now, into: &kept) {
            isOwn = true
            return record()
        }
        counts.made += UInt64(kept.count - before)
        // A record that others join is made with the first of them, and handed over with the last.
        if !isOwn { counts.sampled += 1 }
    }
}
