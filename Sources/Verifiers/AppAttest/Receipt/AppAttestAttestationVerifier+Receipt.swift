import AssayCertificates
import AssayCore

extension AppAttestAttestationVerifier {
    /// A22: the receipt inside the attestation, as far as the app asks for it. Its checks are findings; where it is only
    /// reported, the one that fails is a note. What it says is claimed only if it is verified and belongs to this key.
    func judgeReceipt(
        _ object: AttestationObject, _ attested: AttestedData, _ chain: ValidatedChain,
        _ environment: AppAttestEnvironment, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        guard policy.receipt.mode != .off else {
            appraisal.findings.append(Finding(check: "receipt_signature", outcome: .skipped))
            return
        }
        let judged = receipts.appraise(
            object.receipt,
            against: ReceiptExpectation(
                rpIDHash: Array(attested.data.rpIDHash), publicKey: Array(chain.leaf.publicKey.keyBytes), kind: .attest,
                environment: environment, clientDataHash: context.binding.clientDataHash,
                maxAgeMilliseconds: policy.receipt.maxAgeMilliseconds),
            .arriving(context.now), under: context.examination)
        appraisal.claims.add(Self.receiptVerified, .boolean(judged.failure == nil))
        guard let failure = judged.failure else {
            appraisal.findings += judged.findings
            for name in ["type", "environment", "creation_time", "expiration_time", "token_length"] {
                appraisal.claims.add("receipt_" + name, judged.claims[name])
            }
            appraisal.simulated = appraisal.simulated || judged.simulated
            return
        }
        guard policy.receipt.mode == .require, let code = ReasonCode(rawValue: failure.code) else {
            appraisal.findings += judged.findings.map { finding in
                finding.outcome == .fail ? .note(finding.check, finding.code, finding.detail) : finding
            }
            return
        }
        appraisal.findings += judged.findings
        throw Rejection(code, failure.detail)
    }

    /// The claim that says whether the receipt was verified; absent where it was not looked at.
    static let receiptVerified = "receipt_verified"
}
