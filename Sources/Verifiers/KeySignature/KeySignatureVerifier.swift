package import AssayCore
import Crypto

/// Appraises a signature by a registered key over client data: the way in which an Android device, or another whose registered
/// key can sign messages, proves itself after registration.
///
/// The signature proves that the key was used; the appraiser of the registration's format says under today's policy what the
/// key is worth. App Attest keys sign assertions only, so they have no such appraiser.
package struct KeySignatureVerifier: EvidenceVerifier {
    /// The longest signature is one of ML-DSA-87 (FIPS 204, table 2), after one byte of algorithm and two lengths.
    static let longestSignature = 4627

    package let format: EvidenceFormat = .keySignature
    package let purposes: Set<Purpose> = [.assert, .provision]
    package let sizeLimit: Int = 4 + 1 + 4 + longestSignature
    package let replayProtection: ReplayProtection = .challenge()
    package let usualFindings: Int = 30

    private let judges: RegisteredKeyJudges
    private let slips = SlipBudget()

    package init(judges: [any RegisteredDeviceAppraiser]) { self.judges = RegisteredKeyJudges(judges) }

    /// The key id is sent beside the signature and is not authenticated until the signature is verified.
    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        Needs(deviceKeyID: evidence.keyID, revocation: true)
    }

    /// One key's signature over what the caller guarantees is one use, whatever encoding the signature has: from one ECDSA
    /// signature anyone can derive another valid one.
    package func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8] {
        var hash = FieldDigest("assay.key-signature.use.v1")
        hash.append(evidence.keyID)
        hash.append(vouched)
        return hash.finalize()
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let (algorithm, signature) = try read(evidence, &appraisal)
        let (device, judge) = try judges.device(of: evidence, context.facts.device, &appraisal)
        let key = try RegisteredKey.check(device.registration, algorithm, &appraisal)
        try appraisal.check("signature") { () throws(Rejection) in
            guard try key.isValid(signature, by: algorithm, over: context.binding.clientData) else {
                let cause = slips.explanation(at: context.now, among: context.binding.slipsOfData) {
                    (try? key.isValid(signature, by: algorithm, over: $0)) == true
                }
                throw Rejection(
                    .badSignature,
                    "the registered key did not sign the expected client data, whose SHA-256 is "
                        + Hex.short(SHA256.bytes(of: context.binding.clientData)) + cause)
            }
        }
        try appraisal.requireAllPassed()
        // From here on the request is authenticated by the device's key.
        appraisal.claims.add("key_id", .bytes(device.registration.keyID))
        appraisal.claims.add("algorithm", .text(algorithm.name))
        try judge.judge(device, in: context, &appraisal)
        // A key that signs messages signs a certificate signing request too.
        appraisal.certifiableKey = device.registration.keyID
    }

    /// The two parts: the algorithm's byte, and the signature.
    private func read(
        _ evidence: BoundedEvidence, _ appraisal: inout Appraisal
    ) throws(Rejection) -> (KeySignatureAlgorithm, ArraySlice<UInt8>) {
        try appraisal.check("signature_form") { () throws(Rejection) in
            guard let parts = evidence.parts, parts.count == 2, parts[0].count == 1, let byte = parts[0].first else {
                throw Rejection(.badSignature, "not an algorithm and a signature")
            }
            guard let algorithm = KeySignatureAlgorithm(rawValue: byte) else {
                throw Rejection(.unsupportedAlgorithm, "signature algorithm \(byte)")
            }
            return (algorithm, parts[1])
        }
    }
}
