import AssayCore
import Crypto

/// Appraises an HMAC-SHA-256 over the client data under a key that app and server share: 32 bytes. It shows how a verifier is written,
/// and proves nothing about a device.
struct HMACVerifier: EvidenceVerifier {
    static let format = EvidenceFormat(rawValue: "example.hmac")

    let format: EvidenceFormat = Self.format
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit: Int = 64
    /// The client data contains the challenge, which is spent.
    let replayProtection: ReplayProtection = .challenge()

    let key: [UInt8]

    /// Nothing has to be fetched.
    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }

    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.require(
            "form", evidence.body.count == 32, else: .badSignature, "an HMAC has 32 bytes, this has \(evidence.body.count)")
        let isValid = HMAC<SHA256>.isValidAuthenticationCode(
            evidence.body, authenticating: context.binding.clientData, using: SymmetricKey(data: key))
        try appraisal.require("signature", isValid, else: .badSignature, "the HMAC is not over this client data")
        // From here on the evidence is authentic.
        appraisal.claims.add("algorithm", .text("hmac-sha256"))
        appraisal.assurance = .software
    }
}
