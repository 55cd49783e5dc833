import AssayAPI
package import AssayCore
import Crypto

/// Reads what plugins say of evidence of a format of theirs, for one app. The primary's judgement is that of the format; those of
/// others only add their failures.
///
/// An opinion is kept with the facts as it was sent. It is read here, under the catalog's present ceiling, so that a stored one is
/// judged as a new one is.
package struct PluginVerifier: EvidenceVerifier {
    let app: AppID
    /// What the primary declared of the format.
    let declared: PluginFormat
    let primary: PluginJudge
    /// Those with the role `all`.
    let others: [SecondOpinion]

    package init(app: AppID, declared: PluginFormat, primary: PluginJudge, others: [SecondOpinion]) {
        (self.app, self.declared, self.primary, self.others) = (app, declared, primary, others)
    }

    package var format: EvidenceFormat { declared.name }
    package var purposes: Set<Purpose> { declared.purposes }
    package var sizeLimit: Int { declared.sizeLimit }

    package var replayProtection: ReplayProtection {
        switch declared.freshness {
        case .challenge: .challenge()
        case .singleUse: .ownTokens
        case .statement: .statement
        case .payload: .payload
        }
    }

    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .opinions }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        if let judged = try primary.judgement(in: context, of: scope(context), &appraisal) {
            appraisal.plugin = primary.id
            appraisal.findings += judged.findings
            if let rejection = judged.failure?.rejection { throw rejection }
            if declared.freshness == .singleUse, context.binding.mode != .inEvidence {
                appraisal.note("binding", "not_bound", "nothing ties \(format) to the challenge or the payload")
            }
            // A check that could not be made leaves the verdict open, and has no assurance.
            if !judged.isOpen, declared.freshness != .payload {
                try appraisal.require(
                    PluginJudge.check, judged.assurance > .none, else: .assuranceTooLow,
                    "the plugin \(primary.id) found nothing wrong, and gives no assurance")
            }
            appraisal.claims = judged.claims
            appraisal.assurance = judged.assurance
            appraisal.effect = effect(of: judged, context)
            appraisal.uses = judged.use.evidenceUses(in: app)
            if judged.use == .payload {
                (appraisal.verifiedPayload, appraisal.measurements) = (context.binding.payloadHash, judged.measurements)
            }
        }
        for other in others { try other.judge.object(in: context, declared: other.declared, app: app, &appraisal) }
    }

    private func scope(_ context: AppraisalContext) -> PluginScope {
        PluginScope(
            plugin: primary.name, format: declared, app: app, purpose: nil,
            clientDataSHA256: declared.freshness == .challenge ? SHA256.bytes(of: context.binding.clientData) : nil,
            payloadSHA256: declared.freshness == .payload ? context.binding.payloadHash : nil,
            hasDevice: context.facts.device != nil, ceiling: primary.ceiling, now: context.now, toldBlock: true)
    }

    private func effect(of judged: PluginAppraisal, _ context: AppraisalContext) -> Effect {
        switch judged.effect {
        case .none: return .none
        case .register(let keyID, let publicKey):
            return .register(
                Registration(
                    format: format, keyID: keyID, publicKey: publicKey, environment: "", anchor: [], claims: judged.claims,
                    chainSerials: [], receipt: [], simulated: false))
        case .advance(let counter):
            guard let device = context.facts.device else { return .none }
            return .advance(device: device.id, counter: counter, rule: .strictlyIncreasing)
        }
    }
}
