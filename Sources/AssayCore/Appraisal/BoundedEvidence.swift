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
        Appraisal.build(format, under: context.examination) { (appraisal) throws(Rejection) in
            appraisal.findings.reserveCapacity(Self.usualFindings)
            appraisal.findings.append(.pass("size"))
            try appraise(evidence, in: context, &appraisal)
        }
    }

    /// Appraises evidence of any size: too large evidence fails the check `size`. An examination goes on all the same, so that it
    /// shows what else is wrong.
    public func appraise(_ evidence: Evidence, in context: AppraisalContext) -> Appraisal {
        Appraisal.build(format, under: context.examination) { (appraisal) throws(Rejection) in
            appraisal.findings.reserveCapacity(Self.usualFindings)
            try appraisal.check("size") { () throws(Rejection) -> Void in
                guard evidence.size <= sizeLimit else { throw tooLarge(evidence) }
            }
            try appraise(BoundedEvidence(evidence), in: context, &appraisal)
        }
    }

    /// Enough for an assertion's findings, so that adding them does not reallocate. A verifier with more reserves more.
    private static var usualFindings: Int { 16 }

    private func tooLarge(_ evidence: Evidence) -> Rejection {
        Rejection(.evidenceTooLarge, "\(evidence.size) bytes, limit \(sizeLimit)")
    }
}
