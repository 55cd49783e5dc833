import AssayAPI
package import AssayCore

/// Hands the verdicts of a group of requests to those who observe them, once they are decided.
package struct ObservedVerdicts: Sendable {
    private let observer: (any VerdictObserver)?
    private let hub: WatchHub?

    /// - Parameters:
    ///   - observer: `nil`: nothing is handed over.
    ///   - hub: those who watch events; `nil`: there are none.
    package init(_ observer: (any VerdictObserver)? = nil, hub: WatchHub? = nil) { (self.observer, self.hub) = (observer, hub) }
}

extension ObservedVerdicts: AnswerFollower {
    package func follow(_ group: inout AnsweredRequests) {
        hub?.judged(group.requests, group.answers)
        guard let observer else { return }
        let given = zip(group.requests, group.answers).compactMap { request, answer in
            observer.observes(request.request.app) ? GivenVerdict(request, answer) : nil
        }
        if !given.isEmpty { observer.observe(given) }
    }

    package func follow(_ outcome: ProvisioningOutcome) {
        if let event = WatchEvent(outcome) { hub?.publish([event]) }
        guard let observer, observer.observes(outcome.request.app), let given = GivenVerdict(outcome) else { return }
        observer.observe([given])
    }
}

extension GivenVerdict {
    /// `nil` for a request that was not judged.
    fileprivate init?(_ request: AuthorizedRequest, _ answer: Answer) {
        var (rejection, assurance, device): ((code: String, check: String)?, Assurance, DeviceID?) = (nil, .none, nil)
        var (digest, simulated, decidedAt) = (request.profile.policyDigest, false, request.now)
        var isRepeated = false
        switch answer {
        case .verdict(let verdict), .completed(let verdict, _):
            switch verdict.decision {
            case .accepted(let level): assurance = level
            case .rejected(let reason, let check): rejection = (reason.code.rawValue, check)
            }
            (device, digest, simulated) = (verdict.device, verdict.policyDigest, verdict.simulated)
            decidedAt = verdict.decidedAt
        case .repeated: isRepeated = true
        case .failed, .abandoned: return nil
        }
        self.init(
            requestID: request.requestID, app: request.request.app, caller: request.caller.name,
            purpose: request.request.purpose, formats: request.request.evidence.map(\.format), rejection: rejection,
            assurance: assurance, device: device, policyDigest: digest, simulated: simulated, repeated: isRepeated,
            decidedAt: decidedAt)
    }

    /// The refusal of a device of a fleet; `nil` for what is told as a change of the registry, or was not decided.
    fileprivate init?(_ outcome: ProvisioningOutcome) {
        guard case .refused(let rejection, let check, let device) = outcome.result else { return nil }
        let request = outcome.request
        self.init(
            requestID: request.id, app: request.app, caller: request.caller, purpose: request.purpose,
            formats: request.formats, rejection: (rejection.code.rawValue, check), assurance: .none, device: device,
            policyDigest: outcome.policyDigest, simulated: false, repeated: false, decidedAt: request.time)
    }
}
