import AssayCore
import Synchronization

/// Remembers refusals that nothing but other evidence can change, so that the same evidence is refused again without being read or a
/// signature being verified.
///
/// Remembered is a rejection whose retry class is `never`, so that the evidence can never be accepted, over evidence that no vendor and no
/// plugin was asked about, for at most three minutes, and only under the same version of the app's revocation list. It holds
///
/// - for a request that is equal in every field but the idempotency key, not beyond the end of its challenge, and
/// - if the evidence was refused before anything was compared with what the request binds, such as for its form or its chain: for every
///   request of the app and purpose that brings the same evidence, with whatever challenge.
///
/// A request for a report of every failure is judged each time, and its refusal is not remembered.
///
/// A memory belongs to one configuration: a reload begins with an empty one. A repetition is an attempt with its challenge like the first
/// one. While nothing was refused a request costs two loads of a flag.
package final class RefusalMemory: Sendable {
    /// How long a refusal is remembered, in milliseconds.
    package static let period: Int64 = 180_000
    /// The most refusals that are remembered, each of some kilobytes. Beyond it the oldest is forgotten.
    package static let capacity = 1024

    /// What the refusal may depend on beside request and configuration.
    private enum List: Hashable {
        case notConsulted
        case version(FeedVersion)
    }

    private struct Entry {
        let verdict: Verdict
        /// SHA-256 over all fields of the request but the idempotency key.
        let request: [UInt8]
        /// For which further requests the refusal holds; `nil` for none.
        let scope: Scope?
        let list: List
        let since: Timestamp
        /// The end of the refusal for its own request, and for others.
        let until: (own: Timestamp, others: Timestamp)
    }

    /// What a refusal may depend on that rests on the evidence alone.
    private struct Scope: Hashable {
        let app: AppID
        let purpose: Purpose
        let mode: Binding.Mode

        init(_ request: VerificationRequest, _ binding: Binding) {
            (app, purpose, mode) = (request.app, request.purpose, binding.mode)
        }
    }

    private struct State {
        /// By the digest of the evidence, which every request has.
        var entries: [[UInt8]: Entry] = [:]
        /// The keys of the entries, the oldest first, from `first` on.
        var order: [[UInt8]] = []
        var first = 0
    }

    private let state = Mutex(State())
    private let isUsed = Atomic(false)
    private let counters: VerdictCounters

    /// - Parameter counters: counts the answers that were remembered.
    package init(counters: VerdictCounters) { self.counters = counters }

    /// Whether nothing was refused yet.
    var isEmpty: Bool { !isUsed.load(ordering: .relaxed) }

    /// The verdict on an equal request that was refused before, under this request's id; `nil`: it has to be judged.
    func verdict(on admitted: AuthorizedRequest) -> Verdict? {
        guard let entry = entry(for: admitted), admitted.now < entry.until.own, entry.request == admitted.request.digest
        else { return nil }
        counters.refusalRemembered()
        return entry.verdict.answering(admitted.requestID, at: admitted.now, bound: entry.verdict.binding)
    }

    /// The verdict on evidence that was refused before for itself; `nil`: it has to be judged.
    ///
    /// - Parameter binding: what this request binds, which is fresh.
    func verdict(onEvidenceOf admitted: AuthorizedRequest, bound binding: Binding) -> Verdict? {
        guard let entry = entry(for: admitted), admitted.now < entry.until.others,
            entry.scope == Scope(admitted.request, binding), !admitted.assessesConfidence
        else { return nil }
        counters.refusalRemembered()
        let shown = entry.verdict.binding == nil ? nil : binding
        return entry.verdict.answering(admitted.requestID, at: admitted.now, bound: shown)
    }

    private func entry(for admitted: AuthorizedRequest) -> Entry? {
        // What is remembered is the first failure alone.
        guard !isEmpty, admitted.step == nil, admitted.request.report == .first,
            let entry = state.withLock({ $0.entries[admitted.evidenceDigest] })
        else { return nil }
        return admitted.now >= entry.since && Self.list(of: admitted) == entry.list ? entry : nil
    }

    /// Remembers a refusal that is for good.
    func remember(_ refusal: Judgement.Refusal, of admitted: AuthorizedRequest, _ freshness: Freshness) {
        let verdict = refusal.verdict
        guard case .rejected(let rejection, _) = verdict.decision, rejection.isForGood, admitted.step == nil,
            admitted.request.report == .first,
            let list = Self.list(of: admitted)
        else { return }
        let scope: Scope?
        switch refusal.basis {
        case .moment: return
        case .request: scope = nil
        case .evidence: scope = Scope(admitted.request, freshness.binding)
        }
        let end = admitted.now.adding(milliseconds: Self.period)
        let entry = Entry(
            verdict: verdict, request: admitted.request.digest, scope: scope, list: list, since: admitted.now,
            until: (min(end, freshness.challenge?.expiry ?? end), end))
        state.withLock { state in
            if state.entries.updateValue(entry, forKey: admitted.evidenceDigest) == nil {
                state.order.append(admitted.evidenceDigest)
            }
            guard state.entries.count > Self.capacity else { return }
            state.entries[state.order[state.first]] = nil
            state.first += 1
            guard state.first >= Self.capacity else { return }
            state.order.removeFirst(state.first)
            state.first = 0
        }
        isUsed.store(true, ordering: .relaxed)
    }

    /// The version of the revocation list that the app's requests are judged under; `nil` where it is not available now.
    private static func list(of admitted: AuthorizedRequest) -> List? {
        guard let source = admitted.profile.revocation else { return .notConsulted }
        switch source.knowledge(at: admitted.now) {
        case .notConsulted: return .notConsulted
        case .snapshot(let snapshot): return .version(snapshot.feed)
        case .unavailable: return nil
        }
    }
}

extension Rejection {
    /// Whether the same evidence can never be accepted, as far as the code says: a built-in one, since what plugins call final is theirs to
    /// judge. The age of evidence is judged by a clock, which can be set back.
    fileprivate var isForGood: Bool {
        guard let code = code.builtIn else { return false }
        return code.retry == .never && code != .timestampTooOld
    }
}
