package import AssayCore

/// What a policy decides.
package enum TrialOutcome: Hashable, Sendable {
    case accepted(Assurance)
    case rejected(Rejection, check: String)
    /// Something that the evidence has to be checked with is unavailable.
    case unjudged(check: String, String)

    init(_ decision: Verdict.Decision) {
        switch decision {
        case .accepted(let assurance): self = .accepted(assurance)
        case .rejected(let rejection, let check): self = .rejected(rejection, check: check)
        }
    }

    init(_ judgement: Judgement) {
        switch judgement {
        case .accepted(let decided): self.init(decided.verdict.decision)
        case .rejected(let refusal): self.init(refusal.verdict.decision)
        case .open(let check, let why): self = .unjudged(check: check, why)
        }
    }

    init(_ answer: Answer) {
        switch answer {
        case .verdict(let verdict), .completed(let verdict, _): self.init(verdict.decision)
        case .reported(let reported): self.init(reported.verdict.decision)
        case .failed(.evidenceUnavailable(let check, let detail)): self = .unjudged(check: check, detail)
        case .failed(let error): self = .unjudged(check: "daemon", "\(error)")
        case .repeated: self = .unjudged(check: "statement", "the same statement was accepted before")
        case .abandoned: self = .unjudged(check: "daemon", "no answer")
        }
    }

    /// The decision over appraisals of facts that are known already, with the app's rule for simulated devices.
    package init(_ appraisals: [Appraisal], under profile: AppProfile) {
        let decision = Decision(appraisals)
        guard decision.isRejection || !profile.refusesAsSimulated(appraisals) else {
            self = .rejected(.simulatedNotAccepted, check: "simulated")
            return
        }
        switch decision {
        case .accept(let assurance): self = .accepted(assurance)
        case .reject(let rejection, let check): self = .rejected(rejection, check: check)
        case .unavailable(let check, let detail): self = .unjudged(check: check, detail)
        }
    }
}
