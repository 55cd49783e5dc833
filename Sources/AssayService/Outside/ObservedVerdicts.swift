import AssayAPI
package import AssayCore

/// Hands the verdicts of a group of requests to those who observe them, once they are decided.
package struct ObservedVerdicts: Sendable {
    private let observer: (any VerdictObserver)?

    /// - Parameter observer: `nil`: nothing is handed over.
    package init(_ observer: (any VerdictObserver)? = nil) { self.observer = observer }

    func judged(_ requests: [AuthorizedRequest], _ answers: [Answer]) {
        guard let observer else { return }
        let given = zip(requests, answers).compactMap { request, answer in
            observer.observes(request.request.app) ? GivenVerdict(request, answer) : nil
        }
        if !given.isEmpty { observer.observe(given) }
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
}
