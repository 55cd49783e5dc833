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
