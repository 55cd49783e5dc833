package import AssayCore
package import AssayMetrics
import Synchronization

/// Asks sources outside about evidence: once for each piece, and about one piece for each challenge.
///
/// Sources limit how many questions they answer, and some blank their answer to a question that is asked again. So the first
/// evidence that comes with a challenge claims the challenge before its source is asked. Equal evidence shares the open question,
/// and its answer until the challenge has expired. A missing answer is an answer too: the source may have counted the question.
///
/// The kept answers and the open questions are counted for each app (``InquiryShare``). They are in the memory of one process, not
/// in the ledger: each of several daemons on a ledger asks by itself.
package final class OutsideInquiries: Sendable {
    /// How long an answer is kept if the evidence came without a challenge, in milliseconds.
    static let keptWithoutChallenge: Int64 = 600_000
    /// How long an answer about evidence that is bound to nothing is kept at most, in milliseconds. Only the memory of its use
    /// keeps such evidence from being accepted again. After that time an earlier answer must be gone, so that the source is asked
    /// again and refuses evidence that is too old.
    static let keptUnbound: Int64 = 60_000

    private typealias Question = Task<Result<OutsideAnswer, AnswerSourceError>, Never>

    private struct State {
        var apps: [AppID: Kept] = [:]
        var sweptAt = Timestamp.distantPast
        /// The share of each app when it last asked.
        var share: InquiryShare?
    }

    /// What is kept for one app.
    private struct Kept {
        /// By the digest of the evidence.
        var inquiries: [[UInt8]: Inquiry] = [:]
        /// The digest of the evidence that claimed a challenge, by the challenge's random part.
        var claims: [[UInt8]: (evidence: [UInt8], until: Timestamp)] = [:]
        var underWay = 0

        var isEmpty: Bool { underWay == 0 && inquiries.isEmpty && claims.isEmpty }

        /// Joins the open question about the evidence, or opens one if the app's share allows it. The evidence claims the
        /// challenge only if there is a question to join.
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
    ///   - app: the app of the request. Answers are never shared with another app: its evidence must not be asked about in this
    ///     app's name.
    ///   - challenge: of the request; `nil` if the caller guarantees freshness.
    ///   - memory: how long a use of the evidence is remembered at least, in milliseconds, if it is bound to nothing; `nil` if it
    ///     is bound to the challenge or to a hash.
    ///   - share: the app's.
    package func answer(
        of source: any AnswerSource, about evidence: Evidence, of app: AppID, with challenge: Challenge?,
        memory: Int64? = nil, share: InquiryShare, now: Timestamp
    ) async -> OutsideAnswer {
        let digest = evidence.digest
        let expiry = challenge?.expiry ?? now.adding(milliseconds: Self.keptWithoutChallenge)
        let until = memory.map { min(expiry, now.adding(milliseconds: min(Self.keptUnbound, $0))) } ?? expiry
        let admission = state.withLock { state -> Admission in
            Self.sweep(&state, now)
            state.share = share
            return state.apps[app, default: Kept()].admit(digest, challenge, until: until, share, now) {
                ask(source, about: evidence, of: app)
            }
        }
        switch admission {
        case .refused(let why): return .unavailable(why)
        case .claimedByOther:
            return .refused(
                Rejection(.challengeAttemptsExceeded, "the vendor was asked about other evidence with this challenge"))
        case .join(let question):
            switch await question.value {
            case .success(let answer): return answer
            case .failure(let problem):
                forget(question, of: digest, app, challenge)
                return .unavailable(problem.description)
            }
        }
    }

    /// Asks in a task of its own: the request that asked first may be abandoned, and others wait for the same answer.
    private func ask(_ source: any AnswerSource, about evidence: Evidence, of app: AppID) -> Question {
        Task {
            defer { state.withLock { $0.apps[app]?.underWay -= 1 } }
            do throws(AnswerSourceError) {
                return .success(try await source.ask(about: evidence))
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

extension OutsideInquiries: MetricsCollector {
    private static let questions = MetricFamily(
        "assay_inquiries_under_way", .gauge, labels: ["app"],
        "Questions to vendors about an app's evidence that are not answered.")
    private static let answers = MetricFamily(
        "assay_inquiry_answers", .gauge, labels: ["app"], "Answers of vendors that are kept for an app.")
    private static let limits = MetricFamily(
        "assay_inquiries_limit", .gauge, labels: ["of"],
        "The share of each app: the most questions under way, and the most kept answers. Missing before the first question.")

    package var metricFamilies: [MetricFamily] { [Self.questions, Self.answers, Self.limits] }

    package func collect(into exposition: inout Exposition) {
        let (apps, share) = state.withLock { state in
            (state.apps.map { ($0.key.text, $0.value.underWay, $0.value.inquiries.count) }, state.share)
        }
        for (app, underWay, answers) in apps.sorted(by: { $0.0 < $1.0 }) {
            exposition.add(Self.questions, [app], count: underWay)
            exposition.add(Self.answers, [app], count: answers)
        }
        guard let share else { return }
        exposition.add(Self.limits, ["questions"], count: share.questions)
        exposition.add(Self.limits, ["answers"], count: share.answers)
    }
}

/// The greatest number of open questions to sources outside, and of kept answers, of one app.
///
/// The shares of all apps together do not exceed the whole, so that evidence for one app, however much of it, takes nothing from
/// another app.
package struct InquiryShare: Hashable, Sendable {
    /// Kept answers of all apps together. An answer has some kilobytes.
    package static let answerCapacity = 16_384

    /// Open questions.
    package let questions: Int
    /// Kept answers; and, by themselves, challenges that a question has claimed.
    package let answers: Int

    package init(questions: Int, answers: Int) { (self.questions, self.answers) = (questions, answers) }

    /// Equal shares.
    ///
    /// - Parameters:
    ///   - apps: the number of apps that have answer sources.
    ///   - callLimit: the calls to vendors that may be open at a time. One share of them is left to the daemon's own calls: for newer
    ///     receipts, and for lists.
    package init(apps: Int, callLimit: Int) {
        let apps = max(1, apps)
        self.init(questions: max(1, callLimit / (apps + 1)), answers: max(1, Self.answerCapacity / apps))
    }
}
