package import AssayCore
import Synchronization

/// Why the last reload was refused.
package struct ReloadProblem: Hashable, Sendable {
    package let at: Timestamp
    /// For the operator.
    package let text: String

    package init(at: Timestamp, text: String) { (self.at, self.text) = (at, text) }

    /// The problem of the last reload; `nil` after a reload that succeeded, and before the first.
    package final class Slot: Sendable {
        private let state = Mutex<ReloadProblem?>(nil)

        package init() {}

        package var value: ReloadProblem? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}
