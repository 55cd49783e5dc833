package import AssayCore

/// Keeps from asking a service that fails again and again: after a few failures in a row whoever asks waits, longer each time,
/// and then one attempt shows whether it is well again.
package struct CircuitBreaker: Hashable, Sendable {
    /// Failures in a row that are put down to chance.
    package static let patience = 3

    private let backoff: Backoff
    private var failures = 0
    /// When somebody may try again.
    private var opensAt = Timestamp.distantPast
    /// When the last failure was counted that keeps others out.
    private var shutAt = Timestamp.distantPast

    package init(_ backoff: Backoff) { self.backoff = backoff }

    /// How many may ask at a time at `now`: any number, one to try, or nobody.
    package func admits(at now: Timestamp) -> Int {
        guard failures >= Self.patience else { return .max }
        return isShut(at: now) ? 0 : 1
    }

    /// Whether somebody who comes now may ask. Who is let in to try keeps the others out until it is known how that ended, or
    /// as long as another wait.
    package mutating func admitsOne(at now: Timestamp, using random: inout some RandomNumberGenerator) -> Bool {
        guard failures >= Self.patience else { return true }
        guard !isShut(at: now) else { return false }
        opensAt = now.adding(milliseconds: backoff.wait(after: failures - Self.patience + 1, using: &random))
        return true
    }

    package mutating func succeeded() { (failures, opensAt, shutAt) = (0, .distantPast, .distantPast) }

    /// - Parameters:
    ///   - begun: when the attempt was let in. One of many that were under way when the failures became too many says nothing
    ///     new, and does not make the wait longer.
    ///   - asked: what the service asks for, in milliseconds.
    package mutating func failed(
        at now: Timestamp, begun: Timestamp? = nil, asked: Int64? = nil, using random: inout some RandomNumberGenerator
    ) {
        if failures >= Self.patience, let begun, begun <= shutAt, shutAt <= now { return }
        failures += failures < .max ? 1 : 0
        guard failures >= Self.patience else { return }
        let wait = backoff.wait(after: failures - Self.patience + 1, asked: asked, using: &random)
        (opensAt, shutAt) = (now.adding(milliseconds: wait), now)
    }

    /// A clock that went back does not make the wait longer than any is.
    private func isShut(at now: Timestamp) -> Bool { (1...backoff.cap).contains(opensAt.milliseconds(since: now)) }
}
