package import AssayCore
import AssayMetrics
import ServiceLifecycle
import Synchronization

/// Judges requests again under the shadow policy of their app, after they are answered, and counts what would come out otherwise.
///
/// It decides nothing and nothing waits for it: requests are judged one after the other from a bounded queue, in at most half of one processor's
/// time, and those that the queue cannot take are counted as dropped. Both policies judge the same evidence over the same facts; what neither
/// decides, such as a challenge that was used, is left out.
package final class ShadowJudge: Sendable {
    /// Requests that may wait, and their evidence in bytes.
    package static let queueLimit = 1024
    static let byteLimit = 16 << 20
    /// Differences of one app that are remembered, some 500 bytes each.
    package static let remembered = 1000
    /// Requests that are judged between pauses.
    private static let batch = 16

    fileprivate struct State {
        var queue: [AppraisedRequest] = []
        var bytes = 0
        var reports: [AppID: ShadowReport] = [:]
        /// For the metrics: they go on when a policy changes.
        var totals: [AppID: Totals] = [:]
    }

    /// Of one app, since the start.
    struct Totals: Sendable {
        var changes: [VerdictChange: UInt64] = [:]
        var dropped: UInt64 = 0
        /// Newly rejected, by the shadow's reason.
        var reasons: [String: UInt64] = [:]
    }

    private let clock: any WallClock
    private let state = Mutex(State())
    private let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    package init(clock: any WallClock) {
        self.clock = clock
        (wake, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Follows the configuration. An app whose policies changed is compared from then on.
    package func follow(_ apps: AppDirectory) {
        let now = clock.now()
        state.withLock { state in
            var reports: [AppID: ShadowReport] = [:]
            for profile in apps.all {
                guard let shadow = profile.shadow else { continue }
                if let known = state.reports[profile.id], known.isOf(profile) {
                    reports[profile.id] = known
                } else {
                    reports[profile.id] = ShadowReport(profile, shadow, begunAt: now)
                }
                if state.totals[profile.id] == nil { state.totals[profile.id] = Totals() }
            }
            state.reports = reports
        }
    }

    // MARK: Taking

    /// Takes a request whose answer is decided. Returns at once.
    ///
    /// - Parameter appraised: `nil`: it was refused, or could not be judged, before its evidence was appraised.
    func take(_ request: AuthorizedRequest, _ appraised: AppraisedRequest?) {
        let isQueued = state.withLock { state in
            guard let appraised else {
                state.count(.notJudged, of: request.profile)
                return false
            }
            guard state.queue.count < Self.queueLimit, state.bytes + appraised.weight <= Self.byteLimit || state.queue.isEmpty
            else {
                state.drop(request.profile)
                return false
            }
            state.queue.append(appraised)
            state.bytes += appraised.weight
            return true
        }
        if isQueued { waker.yield() }
    }

    // MARK: Judging

    /// Judges the first of those that wait. Returns how many.
    package func step() -> Int {
        let batch = state.withLock { state in
            let batch = Array(state.queue.prefix(Self.batch))
            state.queue.removeFirst(batch.count)
            state.bytes -= batch.reduce(0) { $0 + $1.weight }
            return batch
        }
        for request in batch { judge(request) }
        return batch.count
    }

    private func judge(_ request: AppraisedRequest) {
        let (prepared, admitted) = (request.prepared, request.prepared.admitted)
        guard let shadow = admitted.profile.shadow else { return }
        var known = prepared.known
        let list = shadow.revocation?.knowledge(at: admitted.now) ?? .notConsulted
        for index in known.pieces.indices { known.pieces[index].facts.revocation = list }
        let difference = VerdictDifference(
            requestID: admitted.requestID, time: admitted.now, app: admitted.request.app, device: prepared.knownDevice?.id,
            before: TrialOutcome(prepared.judgement(of: request.appraisals)),
            after: TrialOutcome(Judgement.of(admitted.under(shadow), over: known)))
        state.withLock { state in
            state.count(difference.change, of: admitted.profile)
            guard difference.change != .same, difference.change != .notJudged else { return }
            state.note(difference, of: admitted.profile)
        }
    }

    // MARK: Reading

    /// By app. Without apps that have no shadow policy.
    package var reports: [ShadowReport] {
        state.withLock { $0.reports.values.sorted { $0.app.text < $1.app.text } }
    }

    var totals: [(app: AppID, totals: Totals)] {
        state.withLock { $0.totals.sorted { $0.key.text < $1.key.text }.map { ($0.key, $0.value) } }
    }
}

extension ShadowJudge: Service {
    package func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in self.wake {
                var begun = MonotonicTime.nanoseconds()
                while !Task.isCancelled, self.step() > 0 {
                    // As long as it worked: requests that are to be answered come first.
                    let worked = MonotonicTime.nanoseconds() &- begun
                    do { try await Task.sleep(for: .nanoseconds(Int64(clamping: worked))) } catch { return }
                    begun = MonotonicTime.nanoseconds()
                }
            }
        }
    }
}

extension ShadowJudge.State {
    fileprivate mutating func count(_ change: VerdictChange, of profile: AppProfile) {
        totals[profile.id]?.changes[change, default: 0] += 1
        guard reports[profile.id]?.isOf(profile) ?? false else { return }
        reports[profile.id]?.changes[change, default: 0] += 1
    }

    fileprivate mutating func drop(_ profile: AppProfile) {
        totals[profile.id]?.dropped += 1
        guard reports[profile.id]?.isOf(profile) ?? false else { return }
        reports[profile.id]?.dropped += 1
    }

    fileprivate mutating func note(_ difference: VerdictDifference, of profile: AppProfile) {
        if difference.change == .newlyRejected, case .rejected(let rejection, _) = difference.after {
            // A plugin's own codes are without number.
            let reason = rejection.code.builtIn?.rawValue ?? ShadowJudge.otherReason
            totals[profile.id]?.reasons[reason, default: 0] += 1
        }
        guard reports[profile.id]?.isOf(profile) ?? false else { return }
        reports[profile.id]?.differences.append(difference)
        let count = reports[profile.id]?.differences.count ?? 0
        // In groups, so that the array is seldom moved.
        if count > ShadowJudge.remembered * 5 / 4 {
            reports[profile.id]?.differences.removeFirst(count - ShadowJudge.remembered)
        }
    }
}

extension ShadowJudge {
    /// Stands for codes that are not built in.
    static let otherReason = "other"
}
