/// The formats that this version has words for. Each is read by one verifier, in a room of its own.
extension EvidenceFormat {
    public static let appAttestAttestation = EvidenceFormat(rawValue: "app-attest.attestation")
    public static let appAttestAssertion = EvidenceFormat(rawValue: "app-attest.assertion")
}
