/// Appraises one format of evidence for one app. The app's identities, anchors and policy are its properties; it keeps no state
/// between calls, so the same input always gives the same appraisal.
public protocol EvidenceVerifier: Sendable {
    var format: EvidenceFormat { get }

    /// The purposes for which this kind of evidence may be used.
    var purposes: Set<Purpose> { get }

    /// The largest accepted body, in bytes.
    var sizeLimit: Int { get }

    /// Whether evidence of this kind has a counter that prevents a second acceptance. Default: no.
    var hasCounter: Bool { get }

    /// How long accepted evidence of this kind is kept, in milliseconds, so that it is not accepted again: for evidence that is
    /// not bound to the challenge. Default: `nil`.
    var spendsEvidenceFor: Int64? { get }

    /// How long after an acceptance the same evidence can be appraised as good, in milliseconds: the policy's maximum age and
    /// the allowed skew. If only the caller guarantees freshness, a use is kept at least this long. Default: `nil`, the age of
    /// such evidence is not checked.
    var acceptableFor: Int64? { get }

    /// Identifies a use of evidence if only the caller guarantees freshness: the use is spent in place of a challenge. Default:
    /// the digest of the evidence. A verifier overrides it if evidence can be changed without breaking it.
    ///
    /// - Parameters:
    ///   - app: the app that the evidence is said to belong to.
    ///   - vouched: the hash whose freshness the caller guarantees.
    func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8]

    /// Whether evidence of this kind, beside a piece that attests a key, is bound to that key. Such pieces are appraised last.
    /// Default: no.
    var leansOnAttestedKey: Bool { get }

    /// Whether the appraisal may depend on `AppraisalContext.revocation`. Default: yes. If not, the source is not asked, and
    /// the context says `notConsulted`.
    var consultsRevocation: Bool { get }

    /// Makes registrations of devices that were registered elsewhere with evidence of this kind; `nil` if the app does not
    /// accept such devices, or none can exist.
    var importer: (any DeviceImporter)? { get }

    /// States, without I/O, what must be fetched before `appraise`.
    func locate(_ evidence: Evidence) throws(Rejection) -> Lookup

    /// Appraises the evidence. Synchronous and pure: no clock, network, store or logger. Findings are in documented order;
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
