/// What a relying party may do after a rejection.
public enum RetryClass: String, CaseIterable, Hashable, Sendable {
    /// The same evidence can never be accepted.
    case never
    /// Ask for a new challenge and let the device sign again with the same key.
    case newChallenge = "new_challenge"
    /// Let the device make and attest a new key.
    case reAttest = "re_attest"
    /// Nothing is wrong with the evidence; try again later.
    case later
    /// Only a change of policy or configuration helps.
    case contactOperator = "contact_operator"
}
