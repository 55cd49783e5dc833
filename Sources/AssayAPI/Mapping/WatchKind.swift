import AssayCore

/// The kinds of events: a group, a dot, and a word. Never renamed.
package enum WatchKind {
    package static let verdict = "verdict"
    package static let change = "change"
    package static let device = "device"
    package static let noLongerGood = "device.no_longer_good"

    /// Every kind, in the order of the page.
    package static let all =
        VerdictRecord.Decision.allCases.map { "\(verdict).\($0.name)" }
        + AuditChange.Kind.allCases.map { "\(change).\($0.name)" }
        + [noLongerGood]

    /// Whether a filter may name it: a kind, or a group of kinds.
    package static func isKnown(_ text: String) -> Bool {
        text == verdict || text == change || text == device || all.contains(text)
    }
}
