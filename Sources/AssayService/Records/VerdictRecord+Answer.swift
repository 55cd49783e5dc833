import AssayAPI
import AssayCore
import AssayRPC

extension Answer {
    /// The reason under which a verdict is recorded: empty for an acceptance. `nil`: nothing is recorded of it.
    ///
    /// A repeated verdict is not recorded: it has the record of the first one, whose request id it carries.
    func recordedReason(_ recorded: VerdictRecordRule.Recorded) -> String? {
        switch self {
        case .verdict(let verdict):
            switch verdict.decision {
            case .rejected(let rejection, _): rejection.code.rawValue
            case .accepted: recorded == .all ? "" : nil
            }
        case .completed: recorded == .all ? "" : nil
        case .reported(let reported): Answer.verdict(reported.verdict).recordedReason(recorded)
        case .failed(let error): error.recordedReason
        case .repeated, .abandoned: nil
        }
    }

    /// Whether something may be recorded of it. Cheaper than the reason: for an acceptance nothing else is looked at.
    func isRecorded(_ recorded: VerdictRecordRule.Recorded) -> Bool {
        switch self {
        case .verdict(let verdict): recorded == .all || verdict.isRejected
        case .completed: recorded == .all
        case .failed, .reported: true
        case .repeated, .abandoned: false
        }
    }
}

extension Verdict {
    var isRejected: Bool { if case .rejected = decision { true } else { false } }
}

extension RPCError {
    /// The reason of an error, or its code in the way of a reason.
    var recordedReason: String { reason.isEmpty ? "\(code)".lowercased() : reason }
}

extension VerdictRecord {
    /// The record of an answer; `nil` where nothing is recorded.
    ///
    /// - Parameter subject: the keyed hash; empty for none.
    init?(_ request: AuthorizedRequest, _ answer: Answer, subject: [UInt8]) {
        let asked = Request(request, subject: subject)
        switch answer {
        case .verdict(let verdict), .completed(let verdict, _):
            self.init(asked, verdict, traits: verdict.isRejected ? DeviceTraits([verdict.claims]) : DeviceTraits())
        case .reported(let reported): self.init(asked, reported.verdict, wouldReject: true, traits: reported.traits)
        case .failed(let failure):
            self.init(asked, failing: failure, policyDigest: request.profile.policyDigest)
        case .repeated, .abandoned: return nil
        }
    }

    /// The record of what came of a device of a fleet; `nil` where nothing is recorded.
    init?(_ outcome: ProvisioningOutcome) {
        switch outcome.result {
        case .provisioned, .repeated: return nil
        case .refused(let rejection, let check, let device):
            self.init(
                outcome.request, .rejected, reason: Reason(rejection, check), device: device,
                findings: [.fail(check, rejection)], policyDigest: outcome.policyDigest)
        case .failed(let failure): self.init(outcome.request, failing: failure, policyDigest: outcome.policyDigest)
        }
    }

    private init(_ asked: Request, _ verdict: Verdict, wouldReject: Bool = false, traits: DeviceTraits) {
        var (decision, reason, assurance): (Decision, Reason?, Assurance) = (.accepted, nil, .none)
        switch verdict.decision {
        case .accepted(let level): assurance = level
        case .rejected(let rejection, let check): (decision, reason) = (.rejected, Reason(rejection, check))
        }
        self.init(
            asked, decision, reason: reason, assurance: assurance, device: verdict.device, findings: verdict.findings,
            policyDigest: verdict.policyDigest, feeds: verdict.feeds, simulated: verdict.simulated, wouldReject: wouldReject,
            traits: traits)
    }

    private init(_ asked: Request, failing failure: PipelineError, policyDigest: [UInt8]) {
        let error = RPCError(failure)
        let check = failure.check
        let reason = Reason(code: error.recordedReason, check: check, sentence: error.message, retry: .later)
        var findings = [Finding(check: check, outcome: .unavailable, code: error.recordedReason, detail: error.message)]
        if !error.cause.isEmpty { findings.append(.note(check, "cause", error.cause)) }
        self.init(asked, .unjudged, reason: reason, findings: findings, policyDigest: policyDigest)
    }
}

extension VerdictRecord.Reason {
    init(_ rejection: Rejection, _ check: String) {
        self.init(code: rejection.code.rawValue, check: check, sentence: rejection.detail, retry: rejection.retry)
    }
}

extension VerdictRecord.Request {
    fileprivate init(_ admitted: AuthorizedRequest, subject: [UInt8]) {
        let request = admitted.request
        var (mode, payload): (Binding.Mode, [UInt8]) = (.inEvidence, [])
        switch request.binding {
        case .clientData(let hash): (mode, payload) = (.clientData, hash ?? [])
        case .embedded: mode = .embedded
        case .callerOwned: mode = .callerOwned
        case .inEvidence: mode = .inEvidence
        }
        self.init(
            id: admitted.requestID, time: admitted.now, caller: admitted.caller.name, app: request.app,
            purpose: request.purpose, formats: request.evidence.map(\.format), subject: subject,
            evidenceDigest: admitted.evidenceDigest, binding: mode, payloadDigest: payload)
    }
}

extension PipelineError {
    /// The reason of the call's error, or its code in the way of a reason.
    var recordedReason: String { RPCError(self).recordedReason }

    /// The check that could not be done.
    fileprivate var check: String {
        switch self {
        case .ledger: "ledger"
        case .evidenceMemoryFull: "use"
        case .evidenceUnavailable(let check, _): check
        case .issuing, .fleetNotConfigured: "certificate"
        case .rateLimited: "rate"
        case .upload: "upload"
        case .inconsistent: "daemon"
        }
    }
}
