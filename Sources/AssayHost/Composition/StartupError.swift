/// Why the daemon does not start: a sentence for the operator.
package struct StartupError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
