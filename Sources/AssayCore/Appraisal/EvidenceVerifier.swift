/// Judges one kind of evidence for one app. The app's identities, anchors and policy are its own properties; nothing
/// else is remembered between calls, so the same input gives the same appraisal for ever.
public protocol EvidenceVerifier: Sendable {
    var format: EvidenceFormat { get }

    /// Purposes for which this kind of evidence may be used.
    var purposes: Set<Purpose> { get }

    /// The largest body that is looked at, in bytes.
    var sizeLimit: Int { get }

    /// Whether evidence of this kind carries a counter that keeps it from being accepted twice. No, unless a verifier
    /// says otherwise.
    var hasCounter: Bool { get }

    /// How long evidence of this kind is remembered once it was accepted, in milliseconds, so that it is not accepted again:
    /// for evidence that is not bound to the challenge. `nil`, unless a verifier says otherwise.
    var spendsEvidenceFor: Int64? { get }

    /// How long after an acceptance the same evidence can still be judged good, in milliseconds: the policy's maximum age and
    /// the skew that it allows. Where nothing but the caller vouches for freshness, a use is remembered at least that long.
    /// `nil`, unless a verifier says otherwise: the age of such evidence is not judged.
    var acceptableFor: Int64? { get }

    /// What makes two pieces of evidence the same use, where nothing but the caller vouches for freshness: it is spent in place
    /// of a challenge. The digest of the evidence, unless a verifier knows what of it can be changed without breaking it.
    ///
    /// - Parameters:
    ///   - app: whose evidence it is said to be.
    ///   - vouched: the hash that the caller vouches for.
    func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8]

    /// Whether evidence of this kind, beside a piece that attests a key, is bound to that key. Such pieces are appraised
    /// last. No, unless a verifier says otherwise.
    var leansOnAttestedKey: Bool { get }

    /// Whether what is judged may depend on `AppraisalContext.revocation`. Yes, unless a verifier says otherwise: then nobody is
    /// asked, and its evidence is judged with nothing consulted.
    var consultsRevocation: Bool { get }

    /// Who makes registrations of devices that registered by evidence of this kind elsewhere; `nil` where the app does not
    /// accept such devices, or none can exist.
    var importer: (any DeviceImporter)? { get }

    /// Says, without I/O, what must be fetched before `appraise`.
    func locate(_ evidence: Evidence) throws(Rejection) -> Lookup

    /// Judges the evidence. Synchronous and pure: no clock, network, store or logger. Findings come in documented order;
    /// after a failure of authenticity nothing is claimed. Policy findings follow those of the platform's own checks.
    func appraise(_ evidence: Evidence, in context: AppraisalContext) -> Appraisal
}

extension EvidenceVerifier {
    public var hasCounter: Bool { false }
    public var leansOnAttestedKey: Bool { false }
    public var consultsRevocation: Bool { true }
    public var spendsEvidenceFor: Int64? { nil }
    public var acceptableFor: Int64? { nil }
    public func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8] { evidence.digest }
    public var importer: (any DeviceImporter)? { nil }
}
