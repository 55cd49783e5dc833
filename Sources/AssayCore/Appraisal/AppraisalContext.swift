/// What evidence is held against: everything that was fetched for it, and the time.
public struct AppraisalContext: Sendable {
    /// What the device was to sign.
    public let binding: Binding
    /// The registered device that `locate` asked for, if there is one.
    public let device: Device?
    /// What is known of revoked certificates.
    public let revocation: RevocationKnowledge
    /// How many other devices were registered under the attestation key that `locate` named; `nil` unless it named one.
    public let devicesOfAttestationKey: AttestationKeyUse?
    /// What the vendor's service said of the evidence; `nil` where nobody asks one.
    public let vendor: VendorReply?
    /// The key that another piece of the same request attests, once that piece has passed.
    public let attestedKey: AttestedKey?
    public let now: Timestamp
    /// How the evidence is judged for a person; `nil` for a verdict.
    public let examination: Examination?

    public init(
        binding: Binding, device: Device? = nil, revocation: RevocationKnowledge = .notConsulted,
        devicesOfAttestationKey: AttestationKeyUse? = nil, vendor: VendorReply? = nil, attestedKey: AttestedKey? = nil,
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

/// What an appraisal needs that only others know.
public enum Lookup: Hashable, Sendable {
    case nothing
    /// The device registered for the app with this key.
    case device(keyID: [UInt8])
    /// How many devices were registered under an attestation key, named by the SHA-256 of its SubjectPublicKeyInfo.
    case attestationKey([UInt8])
    /// What the vendor's service says of the evidence.
    case vendor
}

/// How many distinct devices were registered under one attestation key, in all apps of the ledger.
public struct AttestationKeyUse: Hashable, Sendable {
    /// Counting ends here: more is as bad.
    public static let limit = 10_000

    /// Those registered in the 24 hours before, at most `limit`.
    public let lastDay: Int
    public init(lastDay: Int) { self.lastDay = lastDay }
}

/// What a vendor's service made of evidence that only it can judge.
public enum VendorReply: Hashable, Sendable {
    /// Its answer, to be read by the verifier as bytes nobody vouches for beyond the connection.
    case answered([UInt8])
    /// It does not accept the evidence.
    case refused(Rejection)
    /// Nothing is known: the service could not be asked, or did not answer. A sentence says why.
    case unavailable(String)
}
