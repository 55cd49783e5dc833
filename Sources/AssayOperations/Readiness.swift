/// Whether the daemon can do its work, and what keeps it from that.
package struct Readiness: Hashable, Sendable {
    package struct Cause: Hashable, Sendable {
        /// Stable: a code of `attention` (docs/operate/status.md), `starting` or `stopping`.
        package let code: String
        /// For the operator.
        package let message: String
        /// Set where it is one app's.
        package let app: String

        package init(code: String, message: String, app: String = "") {
            (self.code, self.message, self.app) = (code, message, app)
        }
    }

    /// What keeps it from its work; empty: it is ready.
    package let causes: [Cause]
    /// What else needs attention.
    package let others: [Cause]

    package init(causes: [Cause], others: [Cause] = []) { (self.causes, self.others) = (causes, others) }

    package var isReady: Bool { causes.isEmpty }
}

/// Whether the process works at all; a process that does not should be restarted.
package struct Liveness: Hashable, Sendable {
    /// Why it does not; `nil`: it does.
    package let problem: String?

    package init(problem: String?) { self.problem = problem }
}
