import AssaySchemes

/// The kinds of the platforms' files, as `assay inspect --json` names them.
extension InspectedKind {
    static let attestation = InspectedKind(rawValue: "app-attest.attestation")
    static let assertion = InspectedKind(rawValue: "app-attest.assertion")
    static let receipt = InspectedKind(rawValue: "app-attest.receipt")
    static let playIntegrityToken = InspectedKind(rawValue: "play-integrity.token")
    static let playIntegrityAnswer = InspectedKind(rawValue: "play-integrity.answer")
    static let safetyNetResponse = InspectedKind(rawValue: "safetynet.jws")
    static let keyAttestation = InspectedKind(rawValue: "key-attestation.chain")
}
