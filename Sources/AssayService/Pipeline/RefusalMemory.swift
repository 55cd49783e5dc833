import AssayCore
import Synchronization

/// Remembers refusals that nothing but another request can change, so that the same request is refused again without its evidence being
/// read or a signature being verified.
///
/// Remembered is a rejection whose retry class is `never`, so that the evidence can never be accepted, over evidence that no vendor and no
/// plugin was asked about. It holds for a request that is equal in every field but the idempotency key, for at most three minutes, not
/// beyond the end of its challenge, and only under the same version of the app's revocation list. A memory belongs to one configuration: a
/// reload begins with an empty one. A repetition is an attempt with its challenge like the first one.
///
/// While nothing was refused a request costs one load of a flag.
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
        let list: List
        let since: Timestamp
        let until: Timestamp
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

    /// The verdict on an equal request that was refused before, under this request's id; `nil`: it has to be judged.
    func verdict(on admitted: AuthorizedRequest) -> Verdict? {
        guard isUsed.load(ordering: .relaxed), admitted.step == nil,
            let entry = state.withLock({ $0.entries[admitted.evidenceDigest] })
        else { return nil }
        guard admitted.now >= entry.since, admitted.now < entry.until, Self.list(of: admitted) == entry.list,
            entry.request == admitted.request.digest
        else { return nil }
        counters.refusalRemembered()
        return entry.verdict.answering(admitted.requestID, at: admitted.now)
    }

    /// Remembers a verdict if it is a refusal for good.
    ///
    /// - Parameter challenge: the challenge that the request was made with.
    func remember(_ verdict: Verdict, on admitted: AuthorizedRequest, with challenge: Challenge?) {
        guard case .rejected(let rejection, _) = verdict.decision, rejection.isForGood, admitted.step == nil,
            let list = Self.list(of: admitted)
        else { return }
        let end = admitted.now.adding(milliseconds: Self.period)
        let entry = Entry(
            verdict: verdict, request: admitted.request.digest, list: list, since: admitted.now,
            until: min(end, challenge?.expiry ?? end))
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

extension VerificationCase {
    /// Whether the appraisal rests on the request, the configuration, the revocation list and the device's key alone.
    var restsOnRequest: Bool {
        pieces.allSatisfy { !$0.needs.outsideAnswer && !$0.needs.opinions && $0.question == nil && $0.needs.certificate == nil }
    }
}
