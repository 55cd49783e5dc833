/// Why a case cannot be tried at all: a sentence. What the policy decides is an outcome, and never this.
package struct TrialError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
