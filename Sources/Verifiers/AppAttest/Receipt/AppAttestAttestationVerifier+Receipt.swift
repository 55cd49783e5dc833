import AssayCertificates
import AssayCore
import AssayEncoding

/// A22: the receipt inside an attestation, as far as the app's rule requires.
extension AppAttestAttestationVerifier {
    /// The appraisal of the receipt inside an attestation.
    struct JudgedReceipt {
        let appraisal: Appraisal
        /// True if Apple signed the expected client data hash in a receipt about this certificate: then the app chose none of
        /// the bytes before the hash.
        let vouchesForExtensions: Bool
    }

    /// `nil` if the app's rule is not to verify receipts.
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
            .arriving(context.now), under: context.examination,
            report: policy.receipt.mode == .require ? context.report : .first, attested: chain.leaf)
        // An appraisal may leave the comparison out: then the receipt authenticates no extensions.
        let isExpectedHash = appraisal.findings.indices.contains { index in
            appraisal.findings[index].outcome == .pass
                && appraisal.findings[index].check == "receipt_client_hash"  // not text from outside
        }
        return JudgedReceipt(
            appraisal: appraisal,
            vouchesForExtensions: appraisal.failure == nil && isExpectedHash
                && receipt?.certificate?.equals(chain.leaf.der) == true)
    }

    /// Its checks are findings; under the rule `report` a failed one is a note. The receipt's content is claimed only if it is
    /// verified and belongs to this key.
    func judge(_ receipt: JudgedReceipt?, _ appraisal: inout Appraisal) throws(Rejection) {
        guard let judged = receipt?.appraisal else {
            appraisal.findings.append(Finding(check: "receipt_signature", outcome: .skipped))
            return
        }
        appraisal.claims.add(Self.receiptVerified, .boolean(judged.failure == nil))
        guard let failure = judged.failure else {
            appraisal.findings += judged.findings
            for (name, claim) in Self.receiptClaims { appraisal.claims.add(claim, judged.claims[name]) }
            appraisal.simulated = appraisal.simulated || judged.simulated
            return
        }
        guard policy.receipt.mode == .require, let rejection = failure.rejection else {
            appraisal.findings += judged.findings.map { finding in
                finding.outcome == .fail ? .note(finding.check, finding.code, finding.detail) : finding
            }
            return
        }
        appraisal.findings += judged.findings
        throw rejection
    }

    /// The claims of a receipt that an attestation makes, by their names.
    private static let receiptClaims: [(name: String, claim: String)] = [
        ("type", "receipt_type"), ("environment", "receipt_environment"), ("creation_time", "receipt_creation_time"),
        ("expiration_time", "receipt_expiration_time"), ("token_length", "receipt_token_length"),
    ]

    /// Explains to people why a receipt does not authenticate extensions.
    static func unvouched(by receipt: JudgedReceipt?) -> String {
        guard let receipt else { return "the app has receipts not looked at" }
        guard let failure = receipt.appraisal.failure else { return "the receipt is about another certificate of the key" }
        return "the receipt is not verified (\(failure.code))"
    }

    /// The claim whether the receipt was verified; absent if it was not checked.
    static let receiptVerified = "receipt_verified"
}
