import AssayAPI
package import AssayCore

/// Something that happened in the daemon, for those who watch it: names, codes and digests, never evidence, a payload, a subject or an
/// operator's words.
package struct WatchEvent: Sendable {
    package enum Content: Sendable {
        case verdict(GivenDecision)
        /// A change with the number of its audit record.
        case change(AuditChange, number: Int64)
        case device(DeviceFinding)
    }

    package let time: Timestamp
    /// `nil` if the event concerns all apps.
    package let app: AppID?
    /// The device concerned, where there is one and it is known.
    package let device: DeviceID?
    /// The caller's name in the configuration; `nil` for events that no caller caused.
    package let caller: String?
    package let content: Content

    package init(time: Timestamp, app: AppID?, device: DeviceID?, caller: String?, _ content: Content) {
        (self.time, self.app, self.device, self.caller, self.content) = (time, app, device, caller, content)
    }

    package init(_ change: AuditChange, number: Int64, at time: Timestamp) {
        self.init(
            time: time, app: change.app, device: change.device, caller: change.origin.caller, .change(change, number: number))
    }

    package init(_ finding: DeviceFinding, of device: DeviceID, app: AppID, at time: Timestamp) {
        self.init(time: time, app: app, device: device, caller: nil, .device(finding))
    }

    /// A decision about a request, or that none could be made.
    package struct GivenDecision: Sendable {
        /// 16 bytes.
        package let requestID: [UInt8]
        package let decision: VerdictRecord.Decision
        /// Why it was not accepted; empty for acceptances.
        package let code: String
        package let check: String
        package let assurance: Assurance
        package let purpose: Purpose
        package let formats: [EvidenceFormat]
        /// SHA-256.
        package let policyDigest: [UInt8]
        package let simulated: Bool
        /// Whether a rejection was answered ACCEPTED, because the app did not enforce it.
        package var wouldReject = false
    }
}

/// Why what is known of a registered device does not suffice any more.
package struct DeviceFinding: Hashable, Sendable {
    package let code: String
    package let check: String
    /// For people.
    package let detail: String
    /// SHA-256 of the app's policy, 32 bytes.
    package let policyDigest: [UInt8]
    /// The revocation list that was used.
    package let feed: FeedVersion?

    package init(code: String, check: String, detail: String, policyDigest: [UInt8], feed: FeedVersion?) {
        (self.code, self.check, self.detail) = (code, check, detail)
        (self.policyDigest, self.feed) = (policyDigest, feed)
    }
}

extension WatchEvent {
    package var kind: String {
        switch content {
        case .verdict(let given): "\(WatchKind.verdict).\(given.decision.name)"
        case .change(let change, _): "\(WatchKind.change).\(change.kind.name)"
        case .device: WatchKind.noLongerGood
        }
    }

    /// The group of its kind.
    package var group: String {
        switch content {
        case .verdict: WatchKind.verdict
        case .change: WatchKind.change
        case .device: WatchKind.device
        }
    }

    /// The reason; `nil` for acceptances and changes.
    package var code: String? {
        switch content {
        case .verdict(let given): given.code.isEmpty ? nil : given.code
        case .change: nil
        case .device(let finding): finding.code
        }
    }
}

extension WatchEvent {
    /// The event of an answer; `nil` where there is none. A stored verdict that is given again has that of the first answer.
    init?(_ request: AuthorizedRequest, _ answer: Answer) {
        var (decision, code, check): (VerdictRecord.Decision, String, String) = (.accepted, "", "")
        var (assurance, simulated, device): (Assurance, Bool, DeviceID?) = (.none, false, nil)
        var wouldReject = false
        if let verdict = answer.verdict {
            switch verdict.decision {
            case .accepted(let level): assurance = level
            case .rejected(let rejection, let name): (decision, code, check) = (.rejected, rejection.code.rawValue, name)
            }
            (simulated, device) = (verdict.simulated, verdict.device)
        }
        switch answer {
        case .verdict, .completed: break
        case .reported: wouldReject = true
        case .failed(let error): (decision, code) = (.unjudged, error.recordedReason)
        case .repeated, .abandoned: return nil
        }
        self.init(
            time: request.now, app: request.request.app, device: device, caller: request.caller.name,
            .verdict(
                GivenDecision(
                    requestID: request.requestID, decision: decision, code: code, check: check, assurance: assurance,
                    purpose: request.request.purpose, formats: request.request.evidence.map(\.format),
                    policyDigest: request.profile.policyDigest, simulated: simulated, wouldReject: wouldReject)))
    }

    /// What came of a device of a fleet; `nil` for a provisioned one, which is an event of the registry, and for an answer that is given again.
    init?(_ outcome: ProvisioningOutcome) {
        let request = outcome.request
        let (decision, code, check, device): (VerdictRecord.Decision, String, String, DeviceID?)
        switch outcome.result {
        case .refused(let rejection, let name, let known):
            (decision, code, check, device) = (.rejected, rejection.code.rawValue, name, known)
        case .failed(let error): (decision, code, check, device) = (.unjudged, error.recordedReason, "", nil)
        case .provisioned, .repeated: return nil
        }
        self.init(
            time: request.time, app: request.app, device: device, caller: request.caller,
            .verdict(
                GivenDecision(
                    requestID: request.id, decision: decision, code: code, check: check, assurance: .none,
                    purpose: request.purpose, formats: request.formats, policyDigest: outcome.policyDigest, simulated: false)))
    }
}
