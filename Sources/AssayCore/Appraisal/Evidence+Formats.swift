/// The formats that this version supports. One verifier module appraises each.
extension EvidenceFormat {
    public static let appAttestAttestation = EvidenceFormat(rawValue: "app-attest.attestation")
    public static let appAttestAssertion = EvidenceFormat(rawValue: "app-attest.assertion")
    /// Part of an attestation, or an answer of Apple's service; never by itself in a request.
    public static let appAttestReceipt = EvidenceFormat(rawValue: "app-attest.receipt")
    /// An Android Key Attestation chain: its parts are the certificates, leaf first.
    public static let keyAttestation = EvidenceFormat(rawValue: "key-attestation.chain")
    /// A Play Integrity token: the body is its text.
    public static let playIntegrity = EvidenceFormat(rawValue: "play-integrity.token")
    /// A SafetyNet response, which is never fresh: the body is its text.
    public static let safetyNet = EvidenceFormat(rawValue: "safetynet.jws")
    /// A signature by a registered key: its parts are the algorithm's byte and the signature.
    public static let keySignature = EvidenceFormat(rawValue: "key-signature")
    /// A capture that a registered key signed without a challenge. Its parts: see `OfflineCapture`.
    public static let offlineSignature = EvidenceFormat(rawValue: "offline-signature")
    /// A DeviceCheck token: the body is its bytes.
    public static let deviceCheck = EvidenceFormat(rawValue: "device-check.token")

    /// A bundle that a camera signed with the key of its device certificate. Its parts: see `CertificateBundle`.
    public static let certificateBundle = EvidenceFormat(rawValue: "certificate-bundle")
    /// A signature over client data by the key of a device certificate, which is to be renewed: its parts are the algorithm's byte and
    /// the signature.
    public static let certificateSignature = EvidenceFormat(rawValue: "certificate-signature")
    /// No evidence: the registration of a device by a provisioning service.
    public static let fleetDevice = EvidenceFormat(rawValue: "fleet-device")

    /// All of them. Each has a message of its own in the API, or is never sent by itself.
    package static let described = Set(EvidenceKind.all.map(\.format))
}

extension EvidenceFormat {
    /// What accepted evidence of the format speaks of; `nil` for a plugin's format, of which nothing is known but its assurance.
    package var scope: EvidenceScope? { Self.scopes[self] }

    private static let scopes: [EvidenceFormat: EvidenceScope] = [
        .appAttestAttestation: [.device, .hardware, .app, .now],
        .appAttestAssertion: [.device, .hardware, .app],
        .appAttestReceipt: [],
        .keyAttestation: [.device, .hardware, .app, .system, .now, .messages],
        .keySignature: [.device, .hardware, .app, .system, .messages],
        .offlineSignature: [.device, .hardware, .app, .system, .messages],
        .playIntegrity: [.app, .system, .now],
        .safetyNet: [.app, .system, .now],
        .deviceCheck: [.now],
        .certificateBundle: [.device],
        .certificateSignature: [.device],
        .fleetDevice: [.device],
    ]
}

extension EvidenceKind {
    /// All of them. Field 8 of `assay.v1.Evidence` is `PluginEvidence`, which holds the formats that are none of these.
    package static let all: [EvidenceKind] = [
        EvidenceKind(.appAttestAttestation, field: 1, .keyAndBytes),
        EvidenceKind(.appAttestAssertion, field: 2, .keyAndBytes),
        EvidenceKind(.keyAttestation, field: 3, .certificates),
        EvidenceKind(.playIntegrity, field: 4, .text),
        EvidenceKind(.keySignature, field: 5, .signature),
        EvidenceKind(.certificateBundle, field: 6, .bundle),
        EvidenceKind(.safetyNet, field: 7, .text),
        EvidenceKind(.deviceCheck, field: 9, .bytes),
        EvidenceKind(.offlineSignature, field: 10, .offline),
        EvidenceKind(.appAttestReceipt),
        EvidenceKind(.certificateSignature),
        EvidenceKind(.fleetDevice),
    ]
}
