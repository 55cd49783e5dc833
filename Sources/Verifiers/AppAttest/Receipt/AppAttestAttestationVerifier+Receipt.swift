import AssayCertificates
import AssayCore

/// A22: the receipt inside an attestation, as far as the app asks for it.
extension AppAttestAttestationVerifier {
    /// What became of the receipt inside an attestation.
    struct JudgedReceipt {
        let appraisal: Appraisal
        /// True where Apple signed, in a receipt about this very certificate, the client data hash that was expected: then nothing
        /// of what stands before the hash was the app's to choose.
        let vouchesForExtensions: Bool
    }

    /// `nil` where the app does not want receipts looked at.
    func readReceipt(
        _ object: AttestationObject, _ attested: AttestedData, _ chain: ValidatedChain, _ environment: AppAttestEnvironment,
        in context: AppraisalContext
    ) -> JudgedReceipt? {
        guard policy.receipt.mode != .off else { return nil }
        let (appraisal, receipt) = receipts.judge(
            object.receipt,
            against: ReceiptExpectation(
                rpIDHash: Array(attested.data.rpIDHash), publicKey: Array(chain.leaf.publicKey.keyBytes), kind: .attest,
                environment: environment, clientDataHash: context.binding.clientDataHash,
                maxAgeMilliseconds: policy.receipt.maxAgeMilliseconds),
            .arriving(context.now), under: context.examination)
        // An examination may leave the comparison out: then nothing is vouched for.
        let isExpectedHash = appraisal.findings.contains { finding in
            finding.check == "receipt_client_hash" && finding.outcome == .pass  // not text from outside
        }
        return JudgedReceipt(
            appraisal: appraisal,
            vouchesForExtensions: appraisal.failure == nil && isExpectedHash && receipt?.certificate == chain.leaf.der)
    }

    /// Its checks are findings; where it is only reported, the one that fails is a note. What it says is claimed only if it is
    /// verified and belongs to this key.
    func judge(_ receipt: JudgedReceipt?, _ appraisal: inout Appraisal) throws(Rejection) {
        guard let judged = receipt?.appraisal else {
            appraisal.findings.append(Finding(check: "receipt_signature", outcome: .skipped))
            return
        }
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

    /// Why a receipt does not vouch for extensions, for people.
    static func unvouched(by receipt: JudgedReceipt?) -> String {
        guard let receipt else { return "the app has receipts not looked at" }
        guard let failure = receipt.appraisal.failure else { return "the receipt is about another certificate of the key" }
        return "the receipt is not verified (\(failure.code))"
    }

    /// The claim that says whether the receipt was verified; absent where it was not looked at.
    static let receiptVerified = "receipt_verified"
}
