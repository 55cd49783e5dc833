package import AssayCore
import AssayService

/// A recorded verdict whose decision is another one under the candidate.
package struct ReplayedFlip: Hashable, Sendable {
    /// What a policy decides.
    package struct Outcome: Hashable, Sendable {
        /// `accepted` or `rejected`.
        package let decision: String
        /// The assurance of an acceptance, or the reason of a rejection.
        package let word: String
        /// The check that failed; empty for an acceptance.
        package let check: String
        /// What was found and expected.
        package let detail: String
    }

    package let requestID: [UInt8]
    package let time: Timestamp
    package let app: AppID
    package let device: DeviceID?
    /// `newly_rejected` or `newly_accepted`.
    package let change: String
    package let before: Outcome
    package let after: Outcome
    /// Whether the evidence was judged, and not claims alone.
    package let byEvidence: Bool

    init(_ difference: VerdictDifference, byEvidence: Bool) {
        (requestID, time, app, device) = (difference.requestID, difference.time, difference.app, difference.device)
        change = difference.change.rawValue
        (before, after) = (Outcome(difference.before), Outcome(difference.after))
        self.byEvidence = byEvidence
    }
}

extension ReplayedFlip.Outcome {
    fileprivate init(_ outcome: TrialOutcome) {
        switch outcome {
        case .accepted(let assurance): self.init(decision: "accepted", word: assurance.name, check: "", detail: "")
        case .rejected(let rejection, let check):
            self.init(decision: "rejected", word: rejection.code.rawValue, check: check, detail: rejection.detail)
        case .unjudged(let check, let detail): self.init(decision: "unjudged", word: "", check: check, detail: detail)
        }
    }
}

/// What became of the recordings of one app.
package struct ReplayTotals: Hashable, Sendable {
    package private(set) var byEvidence: UInt64 = 0
    package private(set) var byClaims: UInt64 = 0
    private var changes: [VerdictChange: UInt64] = [:]
    /// By the candidate's reason.
    package private(set) var newlyRejected: [String: UInt64] = [:]
    /// By the former reason.
    package private(set) var newlyAccepted: [String: UInt64] = [:]
    /// By both reasons.
    package private(set) var reasons: [String: UInt64] = [:]
    /// By both assurances.
    package private(set) var assurances: [String: UInt64] = [:]
    /// By kind.
    package private(set) var notJudged: [String: UInt64] = [:]

    package init() {}

    package var same: UInt64 { changes[.same] ?? 0 }
    package var judged: UInt64 { byEvidence + byClaims }
    package var flips: UInt64 { (changes[.newlyRejected] ?? 0) + (changes[.newlyAccepted] ?? 0) }

    mutating func count(_ outcome: PolicyReplay.Outcome) {
        switch outcome {
        case .unknownApp: notJudged["the candidate has no such app", default: 0] += 1
        case .notJudged(let obstacle): notJudged[obstacle.shown, default: 0] += 1
        case .judged(let difference, let isByEvidence):
            if isByEvidence { byEvidence += 1 } else { byClaims += 1 }
            changes[difference.change, default: 0] += 1
            switch (difference.change, difference.before, difference.after) {
            case (.newlyRejected, _, .rejected(let rejection, _)): newlyRejected[rejection.code.rawValue, default: 0] += 1
            case (.newlyAccepted, .rejected(let rejection, _), _): newlyAccepted[rejection.code.rawValue, default: 0] += 1
            case (.reasonChanged, .rejected(let old, _), .rejected(let new, _)):
                reasons["\(old.code.rawValue) → \(new.code.rawValue)", default: 0] += 1
            case (.assuranceChanged, .accepted(let old), .accepted(let new)):
                assurances["\(old.name) → \(new.name)", default: 0] += 1
            default: break
            }
        }
    }
}

extension RecordingTrial.Obstacle {
    /// The kind, as a part of a sentence.
    fileprivate var shown: String {
        switch self {
        case .noPolicyDecision(let check): "rejected by the check \(check), which no policy decides"
        case .refusedEarly(let check): "refused by the check \(check), before the evidence was appraised"
        case .needsEvidence(let key): "\(key) differs, which claims do not show"
        case .factMissing(let check): "the check \(check) needs what was not recorded"
        }
    }
}
