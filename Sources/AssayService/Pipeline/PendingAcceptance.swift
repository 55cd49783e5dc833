import AssayAPI
import AssayCore

/// A verdict that is ACCEPTED once its entry is durable, and not before.
final class PendingAcceptance: Sendable {
    let admitted: AuthorizedRequest
    let verdict: Verdict
    let entry: LedgerEntry
    /// What the entry uses up of the evidence.
    let uses: [EvidenceUse]
    /// What the request's step made.
    let result: AcceptanceResult?

    /// - Parameter lookups: what look-ups find of the verdict.
    init(_ decided: DecidedRequest, _ result: AcceptanceResult? = nil, lookups: [IndexedVerdict] = []) {
        // By field, here and below: changes and freshness are long, and would be copied.
        let prepared = decided.prepared
        let (admitted, verdict) = (prepared.admitted, result?.verdict ?? decided.verdict)
        (self.admitted, self.verdict, self.result) = (admitted, verdict, result)
        uses = decided.changes.uses
        let assurance: Assurance = if case .accepted(let assurance) = verdict.decision { assurance } else { .none }
        let claims = admitted.profile.keepsAuditClaims ? AuditClaims(verdict.claimsWithConfidence) : nil
        entry = LedgerEntry(
            time: admitted.now,
            spends: uses.isEmpty
                ? prepared.freshness.spends
                : prepared.freshness.spends + uses.map { LedgerEntry.Spend(token: $0.token, expiry: $0.until) },
            registrations: decided.changes.registrations,
            devicesPerSubject: admitted.profile.devicesPerSubject, advances: decided.changes.advances,
            idempotency: admitted.idempotency.map { asked in
                LedgerEntry.Idempotency(
                    key: asked.key, request: asked.request, expiry: prepared.freshness.repeatableUntil,
                    verdict: result?.repetition() ?? verdict.serialized(repeated: true), device: verdict.device)
            },
            audit: AuditRecord(
                requestID: verdict.requestID, caller: admitted.caller.name, app: admitted.request.app,
                purpose: admitted.request.purpose, device: verdict.device, assurance: assurance,
                evidenceDigest: verdict.evidenceDigest, policyDigest: verdict.policyDigest, simulated: verdict.simulated,
                claimsDigest: claims?.digest ?? []), auditClaims: claims, subject: prepared.subjectToRecheck,
            certification: decided.changes.certification(issuing: result?.certificate), replacement: prepared.replacement,
            lookups: lookups)
    }
}
