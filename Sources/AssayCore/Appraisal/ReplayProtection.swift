/// What keeps evidence of one kind from being accepted twice.
public enum ReplayProtection: Hashable, Sendable {
    /// The evidence is bound to the request's challenge, which is spent. If only the caller guarantees freshness, there is no
    /// challenge, and a use of the evidence is spent in its place (``EvidenceVerifier/use(of:for:vouched:)``).
    ///
    /// `acceptableFor`: how long after an acceptance the same evidence can be appraised as good, in milliseconds: the policy's
    /// maximum age and the allowed skew. A use is kept at least this long. `nil`: the age is not checked.
    case challenge(acceptableFor: Int64? = nil)

    /// The evidence has a counter, of which each value is accepted once.
    case counter

    /// Nothing binds the evidence to a request: an accepted piece is kept for this time, so that it is not accepted again.
    case rememberedUse(milliseconds: Int64)

    /// How long an accepted piece is kept although a challenge is spent too, in milliseconds; `nil`: it is not kept.
    public var remembersUseFor: Int64? { if case .rememberedUse(let milliseconds) = self { milliseconds } else { nil } }

    /// How long after an acceptance the same evidence can be appraised as good, in milliseconds; `nil`: the age is not checked.
    public var acceptableFor: Int64? { if case .challenge(let acceptableFor) = self { acceptableFor } else { nil } }
}
