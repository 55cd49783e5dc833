import AssayAPI
package import AssayCore

/// The outcome of a request.
package enum Answer: Sendable {
    /// Judged now.
    case verdict(Verdict)
    /// Accepted now, with what the request's step made: the message of the method.
    case completed(Verdict, message: [UInt8])
    /// Accepted before, under the same idempotency key: the stored message.
    case repeated(message: [UInt8])
    /// Not judged.
    case failed(PipelineError)
    /// Not judged, because the caller no longer awaits the answer. Nothing was spent.
    case abandoned
}

/// Why a request cannot be judged. Nothing was decided and nothing was spent. `RPCError+Mapping.swift` maps each case to the wire.
package enum PipelineError: Error, Hashable, Sendable {
    /// The ledger failed.
    case ledger(LedgerError)
    /// No more uses of evidence may be kept, and evidence whose use is not kept could be accepted again.
    case evidenceMemoryFull
    /// Something that the evidence has to be checked with is unavailable, such as a vendor's answer or a revocation list.
    ///
    /// - Parameter check: the check that needs it.
    case evidenceUnavailable(check: String, detail: String)
    /// The evidence is good, and the certificate cannot be made.
    case issuing(AuthorityError)
    /// The evidence is of a device of a fleet, and the app has no fleet.
    case fleetNotConfigured
    /// The device has had as many accepted verdicts as its rate allows.
    case rateLimited(RateLimits.Refusal)
    /// A bug: a state that the code does not allow.
    case inconsistent(String)
}

/// Why a request left the stages of the pipeline early.
package enum StageError: Error {
    /// The evidence or the request is refused: the answer is a verdict. The device is the one that the registry has for it.
    case refused(Rejection, check: String, device: Device? = nil)
    /// The request cannot be judged. Nothing was spent.
    case failed(PipelineError)
    /// The caller no longer awaits the answer.
    case abandoned
}

/// A verdict that is ACCEPTED once its entry is durable, and not before.
final class PendingAcceptance: Sendable {
    let admitted: AuthorizedRequest
    let verdict: Verdict
    let challenge: Challenge?
    let entry: LedgerEntry
    /// What the entry uses up of the evidence.
    let uses: [EvidenceUse]
    /// What the request's step made.
    let result: AcceptanceResult?

    init(
        _ prepared: VerificationCase, _ verdict: Verdict, _ fresh: Freshness.Outcome, _ changes: VerificationCase.Changes,
        _ result: AcceptanceResult? = nil
    ) {
        self.result = result
        let admitted = prepared.admitted
        self.admitted = admitted
        self.verdict = verdict
        challenge = fresh.challenge
        uses = changes.uses
        let assurance: Assurance = if case .accepted(let assurance) = verdict.decision { assurance } else { .none }
        let claims = admitted.profile.keepsAuditClaims ? AuditClaims(verdict.claimsWithConfidence) : nil
        entry = LedgerEntry(
            time: admitted.now, spends: fresh.spends + uses.map { LedgerEntry.Spend(token: $0.token, expiry: $0.until) },
            registrations: changes.registrations,
            devicesPerSubject: admitted.profile.devicesPerSubject, advances: changes.advances,
            idempotency: admitted.idempotency.map { asked in
                LedgerEntry.Idempotency(
                    key: asked.key, request: asked.request, expiry: fresh.repeatableUntil,
                    verdict: result?.repetition ?? verdict.serialized(repeated: true), device: verdict.device)
            },
            audit: AuditRecord(
                requestID: verdict.requestID, caller: admitted.caller.name, app: admitted.request.app,
                purpose: admitted.request.purpose, device: verdict.device, assurance: assurance,
                evidenceDigest: verdict.evidenceDigest, policyDigest: verdict.policyDigest, simulated: verdict.simulated,
                claimsDigest: claims?.digest ?? []), auditClaims: claims, subject: prepared.subjectToRecheck,
            certification: changes.certification(issuing: result?.certificate), replacement: prepared.replacement)
    }
}
