package import AssayCore
import Synchronization

/// Asks vendors about evidence: once for each piece, and about one piece for each challenge.
///
/// Vendors limit how many questions they answer, and some blank their answer to one that is asked again. So a challenge is
/// claimed before the vendor is asked, by the evidence that came first with it; equal evidence shares the question that is
/// open, and its answer until the challenge has expired. An answer that never came is an answer too: nobody knows whether the
/// vendor counted the question.
package final class VendorDesk: Sendable {
    /// How long an answer is kept where no challenge says so, in milliseconds.
    static let keptWithoutChallenge: Int64 = 600_000
    /// Answers that are kept. An answer is some kilobytes.
    static let capacity = 16_384

    private struct State {
        /// By the digest of app and evidence.
        var inquiries: [[UInt8]: Inquiry] = [:]
        /// The digest of app and evidence that a challenge was claimed by, by the challenge's random part.
        var claims: [[UInt8]: (evidence: [UInt8], until: Timestamp)] = [:]
        var sweptAt = Timestamp.distantPast
    }

    private struct Inquiry {
        let task: Task<Result<VendorReply, VendorNotAsked>, Never>
        let until: Timestamp
    }

    private enum Admission {
        case join(Task<Result<VendorReply, VendorNotAsked>, Never>)
        case claimedByOther
        case full
    }

    private let state = Mutex(State())

    package init() {}

    /// - Parameters:
    ///   - app: whose evidence it is said to be.
    ///   - challenge: what the evidence came with; `nil` where the caller vouches for freshness.
    package func reply(
        of vendor: any EvidenceVendor, about evidence: Evidence, of app: AppID, with challenge: Challenge?, now: Timestamp
    ) async -> VendorReply {
        // By the app too: who holds another app's evidence must not have it asked about in this one's stead.
        var hash = FieldDigest("assay.inquiry.v1")
        hash.append(app.text)
        hash.append(evidence.digest)
        let digest = hash.finalize()
        let admission = state.withLock { state -> Admission in
            Self.sweep(&state, now)
            let until = challenge?.expiry ?? now.adding(milliseconds: Self.keptWithoutChallenge)
            if let nonce = challenge?.nonce {
                if let claim = state.claims[nonce], now < claim.until, claim.evidence != digest { return .claimedByOther }
                guard state.claims.count < Self.capacity else { return .full }
                state.claims[nonce] = (digest, until)
            }
            if let open = state.inquiries[digest], now < open.until { return .join(open.task) }
            guard state.inquiries.count < Self.capacity else { return .full }
            // A task of its own: whoever asked first may go away, and others wait for the same answer.
            let task = Task { () -> Result<VendorReply, VendorNotAsked> in
                do throws(VendorNotAsked) {
                    return .success(try await vendor.ask(about: evidence))
                } catch {
                    return .failure(error)
                }
            }
            state.inquiries[digest] = Inquiry(task: task, until: until)
            return .join(task)
        }
        switch admission {
        case .full: return .unavailable("as many answers are kept as may be")
        case .claimedByOther:
            return .refused(
                Rejection(.challengeAttemptsExceeded, "the vendor was asked about other evidence with this challenge"))
        case .join(let task):
            switch await task.value {
            case .success(let reply): return reply
            case .failure(let problem):
                forget(task, of: digest, challenge)
                return .unavailable(problem.description)
            }
        }
    }

    /// Nobody was asked: the next one may ask.
    private func forget(
        _ task: Task<Result<VendorReply, VendorNotAsked>, Never>, of digest: [UInt8], _ challenge: Challenge?
    ) {
        state.withLock { state in
            // Another question may be open by now.
            guard state.inquiries[digest]?.task == task else { return }
            state.inquiries[digest] = nil
            if let nonce = challenge?.nonce { state.claims[nonce] = nil }
        }
    }

    /// Once a second at most.
    private static func sweep(_ state: inout State, _ now: Timestamp) {
        guard abs(now.milliseconds(since: state.sweptAt)) >= 1000 else { return }
        state.sweptAt = now
        state.inquiries = state.inquiries.filter { now < $0.value.until }
        state.claims = state.claims.filter { now < $0.value.until }
    }
}
