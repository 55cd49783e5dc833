import AssayAPI
package import AssayCore
package import Logging

/// Judges evidence under an app's policy away from a daemon: by the pipeline of verdicts, over a ledger of its own, at a given time.
///
/// Only the tag of challenges is not checked, since its key is the daemon's that issued them. So an acceptance here says what the policy decides,
/// and nothing about freshness.
package struct EvidenceTrial: Sendable {
    private let pipeline: VerificationPipeline
    private let names = RequestIDGenerator()

    /// Throws what the ledger says, or a `VaultError`.
    ///
    /// - Parameter ledger: of the trial alone. What is accepted is committed to it, so that later evidence finds its device.
    package init(ledger: any Ledger, clock: any WallClock, logger: Logger) async throws {
        let vault = SecretVault(key: SecureRandom.bytes(SecretVault.secretLength))
        pipeline = VerificationPipeline(
            ledger: ledger, keys: try await ChallengeKeys(ledger: ledger, vault: vault, clock: clock, logger: logger),
            subjects: try await SubjectKey(ledger: ledger, vault: vault, clock: clock), attempts: ChallengeAttempts(),
            memory: EvidenceUseLimit(), authenticatesChallenges: false)
    }

    package func judge(
        _ request: VerificationRequest, under profile: AppProfile, at now: Timestamp
    ) async -> TrialOutcome {
        let caller = Caller(name: "policy-test", roles: [.verify], apps: nil)
        let admitted = AuthorizedRequest(
            request: request, profile: profile, caller: caller, now: now, requestID: names.next())
        guard let answer = await pipeline.judge([admitted]).first else { return .unjudged(check: "daemon", "no answer") }
        return TrialOutcome(answer)
    }
}

/// What a policy decides.
package enum TrialOutcome: Hashable, Sendable {
    case accepted(Assurance)
    case rejected(Rejection, check: String)
    /// Something that the evidence has to be checked with is unavailable.
    case unjudged(check: String, String)

    init(_ answer: Answer) {
        switch answer {
        case .verdict(let verdict), .completed(let verdict, _):
            switch verdict.decision {
            case .accepted(let assurance): self = .accepted(assurance)
            case .rejected(let rejection, let check): self = .rejected(rejection, check: check)
            }
        case .failed(.evidenceUnavailable(let check, let detail)): self = .unjudged(check: check, detail)
        case .failed(let error): self = .unjudged(check: "daemon", "\(error)")
        case .repeated: self = .unjudged(check: "statement", "the same statement was accepted before")
        case .abandoned: self = .unjudged(check: "daemon", "no answer")
        }
    }

    /// The decision over appraisals of facts that are known already, with the app's rule for simulated devices.
    package init(_ appraisals: [Appraisal], under profile: AppProfile) {
        let decision = Decision(appraisals)
        guard decision.isRejection || profile.acceptsSimulated || !appraisals.contains(where: \.simulated) else {
            self = .rejected(.simulatedNotAccepted, check: "simulated")
            return
        }
        switch decision {
        case .accept(let assurance): self = .accepted(assurance)
        case .reject(let rejection, let check): self = .rejected(rejection, check: check)
        case .unavailable(let check, let detail): self = .unjudged(check: check, detail)
        }
    }
}
