/// Why the daemon does not start: a sentence for the operator, and the exit status, as `sysexits.h` numbers them.
package struct StartupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Something that it needs is unavailable.
    package static let unavailable: Int32 = 69
    /// The machine is not in order.
    package static let system: Int32 = 71

    package let description: String
    package let exitStatus: Int32

    package init(_ description: String, exitStatus: Int32 = Self.unavailable) {
        (self.description, self.exitStatus) = (description, exitStatus)
    }
}
