package import AssayCore

/// Assay's own verifier of a format, with plugins that can reject what it accepts.
package struct ObjectingVerifier: EvidenceVerifier {
    let app: AppID
    let own: any EvidenceVerifier
    let judges: [SecondOpinion]

    package init(app: AppID, own: any EvidenceVerifier, judges: [SecondOpinion]) {
        (self.app, self.own, self.judges) = (app, own, judges)
    }

    package var format: EvidenceFormat { own.format }
    package var purposes: Set<Purpose> { own.purposes }
    package var sizeLimit: Int { own.sizeLimit }
    package var usualFindings: Int { own.usualFindings }
    package var replayProtection: ReplayProtection { own.replayProtection }
    package var relation: EvidenceRelation { own.relation }
    package var importer: (any DeviceImporter)? { own.importer }

    package func use(of evidence: Evidence, for app: AppID, vouched: [UInt8]) -> [UInt8] {
        own.use(of: evidence, for: app, vouched: vouched)
    }

    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs {
        var needs = try own.locate(evidence)
        needs.opinions = true
        return needs
    }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try own.appraise(evidence, in: context, &appraisal)
        for other in judges { try other.judge.object(in: context, declared: other.declared, app: app, &appraisal) }
    }
}
