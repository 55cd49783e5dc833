/// Which device a registration may retire, for an app. The request names the device; its user has lost the key.
package enum ReplacementRule: String, CaseIterable, Hashable, Sendable {
    /// None.
    case none
    /// One that was registered for the subject that the request names.
    case ofSubject = "subject"
    /// Any of the app: the caller knows which devices are whose.
    case any

    /// Adds the rule to the policy unless it is the usual one, so that the digests of policies from before it stay as they are.
    package func describe(in policy: inout PolicyText) {
        guard self != .ofSubject else { return }
        policy.mark("replaces")
        policy.add("replaces", rawValue)
    }
}
