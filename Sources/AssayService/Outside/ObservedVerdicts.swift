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

    func judged(_ requests: [AuthorizedRequest], _ answers: [Answer]) {
        hub?.judged(requests, answers)
        guard let observer else { return }
        let given = zip(requests, answers).compactMap { request, answer in
            observer.observes(request.request.app) ? GivenVerdict(request, answer) : nil
        }
        if !given.isEmpty { observer.observe(given) }
    }

    /// A refusal that is no verdict on evidence: that of a device of a fleet.
    func refused(
        _ rejection: Rejection, check: String, _ request: VerdictRecord.Request, device: DeviceID?, policyDigest: [UInt8]
    ) {
        hub?.publish([WatchEvent(refusing: request, rejection, check: check, device: device, policy: policyDigest)])
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
