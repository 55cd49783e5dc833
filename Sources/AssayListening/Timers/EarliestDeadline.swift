package import NIOCore

/// The earliest of several instants at which something is due.
package struct EarliestDeadline {
    /// `nil`: nothing is due.
    package private(set) var due: NIODeadline?

    package init() {}

    package mutating func consider(_ other: NIODeadline?) {
        guard let other else { return }
        due = due.map { min($0, other) } ?? other
    }
}
