import AssayAPI
import AssayCore

/// A verdict that is to be ACCEPTED as soon as its entry is durable, and not a moment before.
final class PendingAcceptance: Sendable {
    let admitted: AuthorizedRequest
    let verdict: Verdict
    let challenge: Challenge?
    let entry: LedgerEntry

    init(_ prepared: VerificationCase, _ verdict: Verdict, _ fresh: Freshness.Outcome, _ changes: VerificationCase.Changes) {
        let admitted = prepared.admitted
        self.admitted = admitted
        self.verdict = verdict
        challenge = fresh.challenge
        let assurance: Assurance = if case .accepted(let assurance) = verdict.decision { assurance } else { .none }
        let claims = admitted.profile.keepsAuditClaims ? AuditClaims(verdict.claims) : nil
        entry = LedgerEntry(
            time: admitted.now, spends: fresh.spends, registrations: changes.registrations,
            devicesPerSubject: admitted.profile.devicesPerSubject, advances: changes.advances,
            idempotency: admitted.idempotency.map { asked in
                LedgerEntry.Idempotency(
                    key: asked.key, request: asked.request, expiry: fresh.repeatableUntil,
                    verdict: verdict.serialized(repeated: true), device: verdict.device)
            },
            audit: AuditRecord(
                requestID: verdict.requestID, caller: admitted.caller.name, app: admitted.request.app,
                purpose: admitted.request.purpose, device: verdict.device, assurance: assurance,
                evidenceDigest: verdict.evidenceDigest, policyDigest: verdict.policyDigest, simulated: verdict.simulated,
                claimsDigest: claims?.digest ?? []), auditClaims: claims, subject: prepared.subjectToRecheck)
    }
}
