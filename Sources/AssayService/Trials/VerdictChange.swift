import AssayCore

/// How a verdict would change under another policy.
package enum VerdictChange: String, CaseIterable, Hashable, Sendable {
    case same
    case newlyRejected = "newly_rejected"
    case newlyAccepted = "newly_accepted"
    /// Rejected as before, for another reason.
    case reasonChanged = "reason_changed"
    /// Accepted as before, with another assurance.
    case assuranceChanged = "assurance_changed"
    /// One of the two policies does not judge it.
    case notJudged = "not_judged"

    package init(from before: TrialOutcome, to after: TrialOutcome) {
        self =
            switch (before, after) {
            case (.accepted(let old), .accepted(let new)): old == new ? .same : .assuranceChanged
            case (.accepted, .rejected): .newlyRejected
            case (.rejected, .accepted): .newlyAccepted
            case (.rejected(let old, _), .rejected(let new, _)): old.code == new.code ? .same : .reasonChanged
            case (.unjudged, _), (_, .unjudged): .notJudged
            }
    }

    /// Whether the decision is another one.
    package var isFlip: Bool { self == .newlyRejected || self == .newlyAccepted }
}
