/// The formats that this version has words for. Each is read by one verifier, in a room of its own.
extension EvidenceFormat {
    public static let appAttestAttestation = EvidenceFormat(rawValue: "app-attest.attestation")
    public static let appAttestAssertion = EvidenceFormat(rawValue: "app-attest.assertion")
    /// Comes inside an attestation, and from Apple's service; never by itself in a request.
    public static let appAttestReceipt = EvidenceFormat(rawValue: "app-attest.receipt")
}
