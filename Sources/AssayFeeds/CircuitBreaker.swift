package import AssayCore

/// Keeps from asking a service that fails again and again: after a few failures in a row whoever asks waits, longer each time,
/// and then one attempt shows whether it is well again.
package struct CircuitBreaker: Hashable, Sendable {
    /// Failures in a row that are put down to chance.
    package static let patience = 3

    private let backoff: Backoff
    private var failures = 0
    private var opensAt = Timestamp.distantPast

    package init(_ backoff: Backoff = Backoff(first: 60_000, cap: 3_600_000)) { self.backoff = backoff }

    /// How many may ask at a time at `now`: any number, one to try, or nobody.
    package func admits(at now: Timestamp) -> Int {
        guard failures >= Self.patience else { return .max }
        return now < opensAt ? 0 : 1
    }

    /// Whether somebody who comes now may ask. Who is let in to try keeps the others out until it is known how that ended, or
    /// as long as another wait.
    package mutating func admitsOne(at now: Timestamp, using random: inout some RandomNumberGenerator) -> Bool {
        guard failures >= Self.patience else { return true }
        guard now >= opensAt else { return false }
        opensAt = now.adding(milliseconds: backoff.wait(after: failures - Self.patience + 1, using: &random))
        return true
    }

    package mutating func succeeded() { (failures, opensAt) = (0, .distantPast) }

    /// - Parameter asked: what the service asks for, in milliseconds.
    package mutating func failed(at now: Timestamp, asked: Int64? = nil, using random: inout some RandomNumberGenerator) {
        failures += failures < .max ? 1 : 0
        guard failures >= Self.patience else { return }
        let wait = backoff.wait(after: failures - Self.patience + 1, asked: asked, using: &random)
        opensAt = now.adding(milliseconds: wait)
    }
}
