package import AssayCore

/// A verdict that the shadow policy of an app, or a candidate, decides otherwise.
package struct VerdictDifference: Hashable, Sendable {
    package let requestID: [UInt8]
    package let time: Timestamp
    package let app: AppID
    package let device: DeviceID?
    package let change: VerdictChange
    package let before: TrialOutcome
    package let after: TrialOutcome

    package init(
        requestID: [UInt8], time: Timestamp, app: AppID, device: DeviceID?, before: TrialOutcome, after: TrialOutcome
    ) {
        (self.requestID, self.time, self.app, self.device) = (requestID, time, app, device)
        (self.before, self.after) = (before, after)
        change = VerdictChange(from: before, to: after)
    }
}

/// What the shadow policy of an app decided since both policies were put in force.
package struct ShadowReport: Hashable, Sendable {
    package let app: AppID
    package let policyDigest: [UInt8]
    package let shadowDigest: [UInt8]
    package let begunAt: Timestamp
    package internal(set) var changes: [VerdictChange: UInt64] = [:]
    /// Verdicts that were not judged because too many waited.
    package internal(set) var dropped: UInt64 = 0
    /// The oldest first, at most ``ShadowJudge/remembered``.
    package internal(set) var differences: [VerdictDifference] = []

    init(_ profile: AppProfile, _ shadow: AppProfile, begunAt: Timestamp) {
        (app, policyDigest, shadowDigest) = (profile.id, profile.policyDigest, shadow.policyDigest)
        self.begunAt = begunAt
    }

    func isOf(_ profile: AppProfile) -> Bool {
        policyDigest == profile.policyDigest && shadowDigest == profile.shadow?.policyDigest
    }
}
