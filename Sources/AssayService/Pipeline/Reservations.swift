import AssayCore

/// What a live verdict takes before it is decided, and no replay does: an attempt with its challenge, and a verdict of its device's rate. What was
/// taken is settled once, by the answer that the request came to.
struct Reservations: Sendable {
    /// What one request has taken.
    struct Taken: Sendable {
        fileprivate var attempt: Challenge?
        fileprivate var charged: DeviceID?
        /// The refusal that the judgement came to, to be remembered.
        var refusal: Refused?
    }

    /// A refusal, and what it was judged by. An object, so that requests which are accepted hold no space for one.
    final class Refused: Sendable {
        let refusal: Judgement.Refusal
        let freshness: Freshness

        init(_ refusal: Judgement.Refusal, _ freshness: Freshness) { (self.refusal, self.freshness) = (refusal, freshness) }
    }

    let attempts: ChallengeAttempts
    let rates: RateLimits?
    let refusals: RefusalMemory?
    /// Whether further uses of evidence can be remembered.
    let memory: EvidenceUseLimit

    // MARK: Taking

    /// Counts an attempt with a challenge. Refuses one too many.
    func tryChallenge(_ challenge: Challenge, of admitted: AuthorizedRequest, _ taken: inout Taken) throws(StageError) {
        taken.attempt = challenge
        do throws(Rejection) { try attempts.count(challenge, now: admitted.now) } catch {
            throw .refused(error, check: "challenge")
        }
    }

    /// The verdict on an equal request that was refused for good before; `nil`: it has to be judged. It is an attempt with the challenge like the
    /// first one.
    func earlierRefusal(of admitted: AuthorizedRequest, _ taken: inout Taken) throws(StageError) -> Verdict? {
        guard let verdict = refusals?.verdict(on: admitted) else { return nil }
        if let challenge = try admitted.statedChallenge() { try tryChallenge(challenge, of: admitted, &taken) }
        return verdict
    }

    /// The verdict on evidence that was refused for good before, whatever the request bound; `nil`: it has to be judged.
    func earlierRefusal(ofEvidenceOf admitted: AuthorizedRequest, _ freshness: Freshness) -> Verdict? {
        refusals?.verdict(onEvidenceOf: admitted, bound: freshness.binding)
    }

    /// Whether nothing can be refused before an appraisal: no refusal is remembered, and any use of evidence can be.
    var isAtRest: Bool { !memory.isFull && refusals?.isEmpty ?? true }

    /// Fails where a use of evidence cannot be remembered: it could be accepted again.
    func checkMemory(for freshness: Freshness, _ uses: [EvidenceUse] = []) throws(StageError) {
        guard memory.isFull, freshness.spendsUses || !uses.isEmpty else { return }
        throw .failed(.evidenceMemoryFull)
    }

    /// Fails for a device that gets no accepted verdict now, and takes nothing: what names the device is not verified yet.
    func checkRate(of device: DeviceID?, _ admitted: AuthorizedRequest) throws(StageError) {
        guard let rates, let device, let refusal = rates.refusal(of: device, of: admitted.request.app) else { return }
        throw .failed(.rateLimited(refusal))
    }

    /// Charges a device with a verdict that is to be accepted. The last of the rules: what is refused before costs the device nothing.
    func charge(_ device: DeviceID?, _ admitted: AuthorizedRequest, _ taken: inout Taken) throws(StageError) {
        guard let rates, let device else { return }
        if let refusal = rates.charge(device, of: admitted.request.app) { throw .failed(.rateLimited(refusal)) }
        taken.charged = device
    }

    // MARK: Settling

    /// Takes an attempt back whose rejection was settled, and is none after all: nothing could be decided.
    func giveBackAttempt(_ taken: Taken) { if let challenge = taken.attempt { attempts.forget(challenge) } }

    /// Settles what a request has taken.
    ///
    /// | answer | attempt | charge |
    /// |---|---|---|
    /// | accepted | taken back: the ledger knows that the challenge is spent | stays |
    /// | rejected, or given again | stays | taken back |
    /// | not judged | taken back: the evidence is not to blame | taken back |
    func settle(_ taken: Taken, of admitted: AuthorizedRequest, by answer: Answer) {
        let (isAccepted, isJudged): (Bool, Bool) =
            switch answer {
            case .completed: (true, true)
            case .verdict(let verdict): (!verdict.isRejected, true)
            // It is answered after it was settled as the rejection that it is.
            case .reported, .repeated: (false, true)
            case .failed, .abandoned: (false, false)
            }
        if isAccepted || !isJudged, let challenge = taken.attempt { attempts.forget(challenge) }
        if !isAccepted, let device = taken.charged { rates?.giveBack(device, of: admitted.request.app) }
        if isJudged, !isAccepted, let refused = taken.refusal {
            refusals?.remember(refused.refusal, of: admitted, refused.freshness)
        }
    }
}
