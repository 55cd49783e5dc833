package import AssayCore

/// Stops requests to a service that fails repeatedly: after a few failures in a row requests wait, longer each time; then one
/// attempt shows whether the service works again.
package struct CircuitBreaker: Hashable, Sendable {
    /// Failures in a row that count as chance.
    package static let patience = 3

    private let backoff: Backoff
    private var failures = 0
    /// When the next attempt may be made.
    private var opensAt = Timestamp.distantPast
    /// When the last failure that stops requests was counted.
    private var shutAt = Timestamp.distantPast

    package init(_ backoff: Backoff) { self.backoff = backoff }

    /// How many requests may be made at `now`: any number, one attempt, or none.
    package func admits(at now: Timestamp) -> Int {
        guard failures >= Self.patience else { return .max }
        return isShut(at: now) ? 0 : 1
    }

    /// Whether a request may be made now. An admitted attempt stops all others until its result is known, or as long as another
    /// wait.
    package mutating func admitsOne(at now: Timestamp, using random: inout some RandomNumberGenerator) -> Bool {
        guard failures >= Self.patience else { return true }
        guard !isShut(at: now) else { return false }
        opensAt = now.adding(milliseconds: backoff.wait(after: failures - Self.patience + 1, using: &random))
        return true
    }

    package mutating func succeeded() { (failures, opensAt, shutAt) = (0, .distantPast, .distantPast) }

    /// - Parameters:
    ///   - begun: when the attempt was admitted. An attempt that was in flight when the limit of failures was reached does not
    ///     lengthen the wait.
    ///   - asked: the wait that the service asks for, in milliseconds.
    package mutating func failed(
        at now: Timestamp, begun: Timestamp? = nil, asked: Int64? = nil, using random: inout some RandomNumberGenerator
    ) {
        if failures >= Self.patience, let begun, begun <= shutAt, shutAt <= now { return }
        failures += failures < .max ? 1 : 0
        guard failures >= Self.patience else { return }
        let wait = backoff.wait(after: failures - Self.patience + 1, asked: asked, using: &random)
        (opensAt, shutAt) = (now.adding(milliseconds: wait), now)
    }

    /// A clock that was set back does not lengthen a wait beyond the longest.
    private func isShut(at now: Timestamp) -> Bool { (1...backoff.cap).contains(opensAt.milliseconds(since: now)) }
}

/// The waiting time after failures of a service: doubling from `first` up to `cap`, in milliseconds, each shortened at random
/// by up to a half, so that clients that failed together do not return together.
package struct Backoff: Hashable, Sendable {
    package let first: Int64
    package let cap: Int64

    /// For a service that a request waits for: it is tried again soon.
    package static let onRequest = Backoff(first: 1000, cap: 60_000)
    /// For a service that no request waits for.
    static let inBackground = Backoff(first: 60_000, cap: 3_600_000)

    package init(first: Int64, cap: Int64) { (self.first, self.cap) = (max(1, first), max(1, first, cap)) }

    /// The wait after `failures` failures in a row, in milliseconds.
    ///
    /// - Parameter asked: the service's own `Retry-After`: the wait is at least that, up to `cap`.
    package func wait(
        after failures: Int, asked: Int64? = nil, using random: inout some RandomNumberGenerator
    ) -> Int64 {
        var longest = first
        // Doubled until the cap, not shifted: the number of failures comes from a store.
        for _ in 1..<max(2, min(failures, 63)) where failures > 1 && longest < cap { longest = min(cap, longest * 2) }
        longest = min(longest, cap)
        let wait = Int64.random(in: longest - longest / 2...longest, using: &random)
        return max(wait, min(asked ?? 0, cap))
    }
}
