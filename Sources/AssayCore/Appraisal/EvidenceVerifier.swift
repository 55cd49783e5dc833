/// Appraises one format of evidence for one app. The app's identities, anchors and policy are its properties; it keeps no state
/// between calls, so the same input always gives the same appraisal.
///
/// Beside its format it states three things: what keeps its evidence from being accepted twice, which facts an appraisal needs,
/// and how its evidence relates to the other pieces of a request.
public protocol EvidenceVerifier: Sendable {
    var format: EvidenceFormat { get }

    /// The purposes for which this kind of evidence may be used.
    var purposes: Set<Purpose> { get }

    /// The largest accepted body, in bytes. ``BoundedEvidence`` is within it.
    var sizeLimit: Int { get }

    /// What keeps evidence of this kind from being accepted twice.
    var replayProtection: ReplayProtection { get }

    /// Identifies a use of evidence if only the caller guarantees freshness: the use is spent in place of a challenge. Default:
    /// the digest of the evidence. A verifier overrides it if evidence can be changed without breaking it.
    ///
    /// - Parameters:
    ///   - app: the app that the evidence is said to belong to.
    ///   - vouched: the hash whose freshness the caller guarantees.
    func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8]

    /// How evidence of this kind relates to other pieces of the same request. Default: `alone`.
    var relation: EvidenceRelation { get }

    /// Makes registrations of devices that were registered elsewhere with evidence of this kind; `nil` if the app does not
    /// accept such devices, or none can exist.
    var importer: (any DeviceImporter)? { get }

    /// States, without I/O, what must be fetched before an appraisal. A source outside is asked only if no piece of the request
    /// throws here.
    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs

    /// Adds findings, claims, assurance and effect to the appraisal. Records the first failure and throws it.
    ///
    /// Synchronous and pure: no clock, network, store or logger. Findings are in documented order; after a failure of authenticity
    /// nothing is claimed. Policy findings follow those of the platform's own checks. Called by ``appraise(_:in:)``, which has
    /// recorded the check `size`.
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection)
}

extension EvidenceVerifier {
    public var relation: EvidenceRelation { .alone }
    public func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8] { evidence.digest }
    public var importer: (any DeviceImporter)? { nil }

    /// The needs of evidence of any size. Throws `evidence_too_large` too.
    public func locate(_ evidence: Evidence) throws(Rejection) -> Needs { try locate(bounded(evidence)) }
}

/// How evidence relates to the other pieces of its request.
public enum EvidenceRelation: Hashable, Sendable {
    /// It is bound to the request, also beside other pieces.
    case alone
    /// Beside a piece that attests a key it is bound to that key, and appraised after that piece; otherwise to the request.
    case boundToAttestedKey
}
