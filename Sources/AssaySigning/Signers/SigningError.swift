/// Nothing was signed: the key cannot be used now. Nothing secret is in it.
package struct SigningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why, in a sentence.
    package let description: String

    package init(_ description: String) { self.description = description }
}
