/// The input of an appraisal beside the evidence: expectation, fetched facts and time.
public struct AppraisalContext: Sendable {
    /// The bytes that the device was expected to sign.
    public let binding: Binding
    /// The registered device that `locate` requested, if there is one.
    public let device: Device?
    /// The revocation list, or why there is none.
    public let revocation: RevocationKnowledge
    /// How many other devices were registered under the attestation key that `locate` named; `nil` unless it named one.
    public let devicesOfAttestationKey: AttestationKeyUse?
    /// The answer of the vendor's service about the evidence; `nil` if none is asked.
    public let vendor: OutsideAnswer?
    /// The key that another piece of the same request attests, once that piece has passed.
    public let attestedKey: AttestedKey?
    public let now: Timestamp
    /// The mode for inspection; `nil` for a verdict.
    public let examination: Examination?

    public init(
        binding: Binding, device: Device? = nil, revocation: RevocationKnowledge = .notConsulted,
        devicesOfAttestationKey: AttestationKeyUse? = nil, vendor: OutsideAnswer? = nil, attestedKey: AttestedKey? = nil,
        now: Timestamp, examination: Examination? = nil
    ) {
        self.binding = binding
        self.device = device
        self.revocation = revocation
        self.devicesOfAttestationKey = devicesOfAttestationKey
        self.vendor = vendor
        self.attestedKey = attestedKey
        self.now = now
        self.examination = examination
    }
}

/// A fact that must be fetched before an appraisal.
public enum Lookup: Hashable, Sendable {
    case nothing
    /// The device registered for the app with this key.
    case device(keyID: [UInt8])
    /// How many devices were registered under an attestation key, named by the SHA-256 of its SubjectPublicKeyInfo.
    case attestationKey([UInt8])
    /// The answer of the vendor's service about the evidence.
    case vendor
}

/// How many distinct devices were registered under one attestation key, in all apps of the ledger.
public struct AttestationKeyUse: Hashable, Sendable {
    /// Counting stops here.
    public static let limit = 10_000

    /// Devices registered in the preceding 24 hours, at most `limit`.
    public let lastDay: Int
    public init(lastDay: Int) { self.lastDay = lastDay }
}

/// The answer of a vendor's service about evidence that only the vendor can check.
public enum OutsideAnswer: Hashable, Sendable {
    /// The answer's bytes, for the verifier to parse; only the connection authenticates them.
    case answered([UInt8])
    /// The service does not accept the evidence.
    case refused(Rejection)
    /// The service could not be asked, or did not answer. A sentence gives the reason.
    case unavailable(String)
}
