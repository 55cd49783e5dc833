package import AssayCore
import Synchronization

/// Asks vendors about evidence: once for each piece, and about one piece for each challenge.
///
/// Vendors limit how many questions they answer, and some blank their answer to one that is asked again. So a challenge is
/// claimed before the vendor is asked, by the evidence that came first with it; equal evidence shares the question that is
/// open, and its answer until the challenge has expired. An answer that never came is an answer too: nothing tells whether the
/// vendor counted the question.
///
/// What is kept, and what is under way, is counted for each app by itself (``InquiryShare``). It is in the
/// memory of one process, not in the ledger: each of several daemons on a ledger asks by itself.
package final class OutsideInquiries: Sendable {
    /// How long an answer is kept where no challenge says so, in milliseconds.
    static let keptWithoutChallenge: Int64 = 600_000
    /// How long an answer about evidence that is bound to nothing is kept at most, in milliseconds. Only the memory of its use
    /// keeps such evidence from being accepted again; when that ends, an answer from before must be gone, so that the vendor is
    /// asked again and refuses evidence that is too old.
    static let keptUnbound: Int64 = 60_000

    private typealias Question = Task<Result<OutsideAnswer, OutsideUnavailable>, Never>

    private struct State {
        var apps: [AppID: Kept] = [:]
        var sweptAt = Timestamp.distantPast
    }

    /// What is kept for one app.
    private struct Kept {
        /// By the digest of the evidence.
        var inquiries: [[UInt8]: Inquiry] = [:]
        /// The digest of the evidence that a challenge was claimed by, by the challenge's random part.
        var claims: [[UInt8]: (evidence: [UInt8], until: Timestamp)] = [:]
        var underWay = 0

        var isEmpty: Bool { underWay == 0 && inquiries.isEmpty && claims.isEmpty }

        /// Joins the question that is open about the evidence, or puts one where the app's share allows it. A challenge is
        /// claimed only if there is a question to join.
        mutating func admit(
            _ digest: [UInt8], _ challenge: Challenge?, until: Timestamp, _ share: InquiryShare, _ now: Timestamp,
            ask: () -> Question
        ) -> Admission {
            if let nonce = challenge?.nonce, let claim = claims[nonce], now < claim.until, claim.evidence != digest {
                return .claimedByOther
            }
            let isFull = claims.count >= share.answers || inquiries.count >= share.answers
            let open = inquiries[digest].flatMap { now < $0.until ? $0.question : nil }
            if isFull, open == nil || challenge.map({ claims[$0.nonce] == nil }) == true {
                return .refused("as many answers are kept as the app may have: \(share.answers)")
            }
            guard open != nil || underWay < share.questions else {
                return .refused("as many questions are under way as the app may have: \(share.questions)")
            }
            if let challenge { claims[challenge.nonce] = (digest, challenge.expiry) }
            if let open { return .join(open) }
            let question = ask()
            underWay += 1
            inquiries[digest] = Inquiry(question: question, until: until)
            return .join(question)
        }
    }

    private struct Inquiry {
        let question: Question
        let until: Timestamp
    }

    private enum Admission {
        case join(Question)
        case claimedByOther
        case refused(String)
    }

    private let state = Mutex(State())

    package init() {}

    /// - Parameters:
    ///   - app: whose evidence it is said to be. Counted and kept by the app, and never shared: the holder of another app's
    ///     evidence must not have it asked about in this one's stead.
    ///   - challenge: what the evidence came with; `nil` where the caller vouches for freshness.
    ///   - memory: how long a use of the evidence is remembered at least, in milliseconds, where it is bound to nothing; `nil`
    ///     where it is bound to the challenge or to a hash.
    ///   - share: what the app may have.
    package func reply(
        of vendor: any AnswerSource, about evidence: Evidence, of app: AppID, with challenge: Challenge?,
        memory: Int64? = nil, share: InquiryShare, now: Timestamp
    ) async -> OutsideAnswer {
        let digest = evidence.digest
        let expiry = challenge?.expiry ?? now.adding(milliseconds: Self.keptWithoutChallenge)
        let until = memory.map { min(expiry, now.adding(milliseconds: min(Self.keptUnbound, $0))) } ?? expiry
        let admission = state.withLock { state -> Admission in
            Self.sweep(&state, now)
            return state.apps[app, default: Kept()].admit(digest, challenge, until: until, share, now) {
                ask(vendor, about: evidence, of: app)
            }
        }
        switch admission {
        case .refused(let why): return .unavailable(why)
        case .claimedByOther:
            return .refused(
                Rejection(.challengeAttemptsExceeded, "the vendor was asked about other evidence with this challenge"))
        case .join(let question):
            switch await question.value {
            case .success(let reply): return reply
            case .failure(let problem):
                forget(question, of: digest, app, challenge)
                return .unavailable(problem.description)
            }
        }
    }

    /// Puts the question, in a task of its own: the request that asked first may be abandoned, and others wait for the same
    /// answer.
    private func ask(_ vendor: any AnswerSource, about evidence: Evidence, of app: AppID) -> Question {
        Task {
            defer { state.withLock { $0.apps[app]?.underWay -= 1 } }
            do throws(OutsideUnavailable) {
                return .success(try await vendor.ask(about: evidence))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Nothing was asked: the next request may ask.
    private func forget(_ question: Question, of digest: [UInt8], _ app: AppID, _ challenge: Challenge?) {
        state.withLock { state in
            // Another question may be open by now. Where none is, others that waited for this one were here before.
            let open = state.apps[app]?.inquiries[digest]?.question
            guard open == nil || open == question else { return }
            state.apps[app]?.inquiries[digest] = nil
            if let nonce = challenge?.nonce, state.apps[app]?.claims[nonce]?.evidence == digest {
                state.apps[app]?.claims[nonce] = nil
            }
        }
    }

    /// Once a second at most.
    private static func sweep(_ state: inout State, _ now: Timestamp) {
        guard abs(now.milliseconds(since: state.sweptAt)) >= 1000 else { return }
        state.sweptAt = now
        state.apps = state.apps.compactMapValues { kept in
            var kept = kept
            kept.inquiries = kept.inquiries.filter { now < $0.value.until }
            kept.claims = kept.claims.filter { now < $0.value.until }
            return kept.isEmpty ? nil : kept
        }
    }
}
