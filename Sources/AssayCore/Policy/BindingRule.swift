/// How long challenges are good, in milliseconds.
package struct ChallengeRule: Hashable, Sendable {
    /// The longest that any challenge may be good: 1 hour.
    package static let longest: Int64 = 3_600_000
    package static let usual: Int64 = 300_000

    package let timeToLive: Int64
    package init(timeToLive: Int64 = Self.usual) { self.timeToLive = timeToLive }
}

/// How the app's evidence may be bound to a request.
package struct BindingRule: Hashable, Sendable {
    /// Whether Assay's client data must bind a payload.
    package let payloadRequired: Bool
    /// Where the challenge stands in the app's own client data; `nil`: that way is not allowed.
    package let embedded: EmbeddedChallenge?
    /// Whether callers may vouch for a hash; `nil`: they may not.
    package let callerOwned: CallerOwnedRule?

    package init(payloadRequired: Bool = false, embedded: EmbeddedChallenge? = nil, callerOwned: CallerOwnedRule? = nil) {
        (self.payloadRequired, self.embedded, self.callerOwned) = (payloadRequired, embedded, callerOwned)
    }
}

/// Binding by a hash that the caller vouches for. An assertion's counter keeps it from being used twice; of other evidence
/// each use is remembered.
package struct CallerOwnedRule: Hashable, Sendable {
    /// How long a use of evidence without a counter is remembered at least, in milliseconds; `nil`: such evidence is refused.
    package let spendEvidenceFor: Int64?
    package init(spendEvidenceFor: Int64?) { self.spendEvidenceFor = spendEvidenceFor }
}
