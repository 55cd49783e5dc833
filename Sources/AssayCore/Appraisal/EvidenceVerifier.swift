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

    /// The first check that looks at the binding: an appraisal that ended before it depends on the evidence, the policy and the
    /// revocation list alone, whatever the request bound. `nil` where no check is known to be the first. Default: `nil`.
    var bindingCheck: String? { get }

    /// How evidence of this kind relates to other pieces of the same request. Default: `alone`.
    var relation: EvidenceRelation { get }

    /// How many findings an appraisal usually has: so many are reserved, so that adding them does not reallocate. Default: enough for an
    /// assertion, and with what a verdict adds below a kilobyte, up to which the allocator caches blocks for each thread.
    var usualFindings: Int { get }

    /// Makes registrations of devices that were registered elsewhere with evidence of this kind; `nil` if the app does not
    /// accept such devices, or none can exist.
    var importer: (any DeviceImporter)? { get }

    /// States, without I/O, what must be fetched before an appraisal. A source outside is asked only if no piece of the request
    /// throws here.
    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs

    /// Adds findings, claims, assurance and effect to the appraisal. Records the first failure and throws it.
    ///
    /// Synchronous and pure: no clock, network, store or logger. With the reading of `locate` and without it the outcome is the same. Findings are in documented order; after a failure of authenticity
    /// nothing is claimed. Policy findings follow those of the platform's own checks. Called by ``appraise(_:in:)``, which has
    /// recorded the check `size`.
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection)
}

extension EvidenceVerifier {
    public var relation: EvidenceRelation { .alone }
    public var bindingCheck: String? { nil }
    public var usualFindings: Int { 15 }
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

/// The input of an appraisal beside the evidence: expectation, fetched facts and time.
public struct AppraisalContext: Sendable {
    /// The bytes that the device was expected to sign.
    public let binding: Binding
    /// What was fetched of the needs that `locate` stated.
    public let facts: Facts
    /// The key that another piece of the same request attests, once that piece has passed.
    public let attestedKey: AttestedKey?
    public let now: Timestamp
    /// The mode for inspection; `nil` for a verdict.
    public let examination: Examination?
    /// Whether checks go on after a failure.
    public let report: VerdictReport
    /// What the verifier read when it located this evidence; `nil`: the evidence was not located, or nothing was kept.
    public let reading: (any EvidenceReading)?

    public init(
        binding: Binding, facts: Facts = Facts(), attestedKey: AttestedKey? = nil, now: Timestamp,
        examination: Examination? = nil, report: VerdictReport = .first, reading: (any EvidenceReading)? = nil
    ) {
        self.reading = reading
        self.report = report
        self.binding = binding
        self.facts = facts
        self.attestedKey = attestedKey
        self.now = now
        self.examination = examination
    }
}

/// What keeps evidence of one kind from being accepted twice.
public enum ReplayProtection: Hashable, Sendable {
    /// The evidence is bound to the request's challenge, which is spent. If only the caller guarantees freshness, there is no
    /// challenge, and a use of the evidence is spent in its place (``EvidenceVerifier/use(of:for:vouched:)``).
    ///
    /// `acceptableFor`: how long after an acceptance the same evidence can be appraised as good, in milliseconds: the policy's
    /// maximum age and the allowed skew. A use is kept at least this long. `nil`: the age is not checked.
    case challenge(acceptableFor: Int64? = nil)

    /// The evidence has a counter, of which each value is accepted once.
    case counter

    /// Nothing binds the evidence to a request: an accepted piece is kept for this time, so that it is not accepted again.
    case rememberedUse(milliseconds: Int64)

    /// The evidence is a statement that its device signed without a challenge, such as a bundle beside a photo. The same statement
    /// again is accepted again, and the verdict says that it is a repetition. `Needs.statement` identifies it.
    case statement

    /// The evidence has tokens of its own, such as a nonce, each of which is accepted once (`Appraisal.uses`). It needs no challenge.
    case ownTokens

    /// The evidence is a part of the payload that another piece of the request binds, such as a depth map whose hash the signed document
    /// has. It shares that piece's freshness and supports no acceptance by itself (`Appraisal.isPart`).
    case payload

    /// Whether evidence of this kind is fresh by itself.
    public var needsNoChallenge: Bool { self == .statement || self == .ownTokens }

    /// How long an accepted piece is kept although a challenge is spent too, in milliseconds; `nil`: it is not kept.
    public var remembersUseFor: Int64? { if case .rememberedUse(let milliseconds) = self { milliseconds } else { nil } }

    /// How long after an acceptance the same evidence can be appraised as good, in milliseconds; `nil`: the age is not checked.
    public var acceptableFor: Int64? { if case .challenge(let acceptableFor) = self { acceptableFor } else { nil } }
}

/// Appraises a registered device again at each use: under today's policy, anchors and revocation list, over the facts of its
/// registration. There is one for each format that registers keys which later sign by themselves; the verifier of such a
/// signature calls the one of the registration's format.
public protocol RegisteredDeviceAppraiser: Sendable {
    /// The format of evidence with which the devices were registered.
    var format: EvidenceFormat { get }

    /// Whether the registered keys sign messages by themselves. Default: true. Certificates of a device count for as much as its
    /// registration does, also where its own key does not sign messages.
    var signsMessages: Bool { get }

    /// How captures are taken that a registered key signed offline; `nil`: they are not. Default: `nil`.
    var offline: OfflineRule? { get }

    /// Adds findings, claims and feeds to the appraisal, sets its assurance, and marks it as simulated if the device is.
    /// Records the first failure and throws it. Pure, like `EvidenceVerifier.appraise`; the caller has verified the device's
    /// signature.
    func judge(
        _ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection)

    /// Judges a device without evidence: a failure is one that every later evidence of the device would come to under the same rules. What
    /// depends on that evidence is left out. Default: all of `judge`.
    func judgeRecord(
        _ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection)
}

extension RegisteredDeviceAppraiser {
    public func judgeRecord(
        _ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try judge(device, in: context, &appraisal)
    }

    public var signsMessages: Bool { true }
    public var offline: OfflineRule? { nil }
}

/// Evidence whose size its verifier has judged: the only evidence that a verifier is given.
///
/// Only ``EvidenceVerifier/bounded(_:)`` makes it, and, for an examination, ``EvidenceVerifier/appraise(_:in:)``. So a verifier
/// neither judges the size nor can leave the judgement out.
public struct BoundedEvidence: Sendable {
    public let evidence: Evidence

    fileprivate init(_ evidence: Evidence) { self.evidence = evidence }

    public var format: EvidenceFormat { evidence.format }
    public var keyID: [UInt8] { evidence.keyID }
    public var body: [UInt8] { evidence.body }
    public var parts: [ArraySlice<UInt8>]? { evidence.parts }
}

extension EvidenceVerifier {
    /// Throws `evidence_too_large` for evidence above the size limit. Nothing of it is parsed.
    public func bounded(_ evidence: Evidence) throws(Rejection) -> BoundedEvidence {
        guard evidence.size <= sizeLimit else { throw tooLarge(evidence) }
        return BoundedEvidence(evidence)
    }

    /// Appraises evidence that is within its limit. The first finding is `size`.
    public func appraise(_ evidence: BoundedEvidence, in context: AppraisalContext) -> Appraisal {
        limited(
            Appraisal.build(format, under: context.examination, report: context.report) { (appraisal) throws(Rejection) in
                appraisal.findings.reserveCapacity(usualFindings)
                appraisal.findings.append(.pass("size"))
                try appraise(evidence, in: context, &appraisal)
            }, by: context)
    }

    /// Appraises evidence of any size: too large evidence fails the check `size`. An examination goes on all the same, so that it
    /// shows what else is wrong.
    public func appraise(_ evidence: Evidence, in context: AppraisalContext) -> Appraisal {
        limited(
            Appraisal.build(format, under: context.examination, report: context.report) { (appraisal) throws(Rejection) in
                appraisal.findings.reserveCapacity(usualFindings)
                try appraisal.check("size") { () throws(Rejection) -> Void in
                    guard evidence.size <= sizeLimit else { throw tooLarge(evidence) }
                }
                // Where a verdict is asked for all its failures, evidence that is too large is not read either.
                try appraisal.requirePassed("size")
                try appraise(BoundedEvidence(evidence), in: context, &appraisal)
            }, by: context)
    }

    /// Leaves of evidence that is a part of a payload what it may say.
    private func limited(_ appraisal: consuming Appraisal, by context: AppraisalContext) -> Appraisal {
        guard replayProtection == .payload else { return appraisal }
        return appraisal.asPart(of: context.binding)
    }

    private func tooLarge(_ evidence: Evidence) -> Rejection {
        Rejection(.evidenceTooLarge, "\(evidence.size) bytes, limit \(sizeLimit)")
    }
}
