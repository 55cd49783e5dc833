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
