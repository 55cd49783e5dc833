package import AssayCore

/// A verifier of Assay's own beside a plugin that must accept too, where no plugin is asked: what the verifier accepts stays unjudged.
package struct UnaskedVerifier: EvidenceVerifier {
    let own: any EvidenceVerifier
    /// The id of the plugin's entry.
    let plugin: String

    package init(own: any EvidenceVerifier, plugin: String) { (self.own, self.plugin) = (own, plugin) }

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

    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { try own.locate(evidence) }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try own.appraise(evidence, in: context, &appraisal)
        appraisal.unavailable(PluginJudge.check, PluginUnavailableCode.noAnswer, "\(plugin): plugins are not asked here")
    }
}
