package import AssayCore
import Synchronization

/// Counts how often a challenge was tried, in memory: at most 5 times, so that one challenge is no oracle.
///
/// Two generations of bounded size: when the younger is full or an hour old, it becomes the older and the oldest counts
/// are forgotten. A challenge that was accepted needs no count, since the ledger knows it.
///
/// The counts are in the memory of one process, not in the ledger: each of several daemons on a ledger counts by itself.
package final class ChallengeAttempts: Sendable {
    package static let limit: UInt8 = 5
    /// Entries of one generation: about 4 MiB each.
    static let capacity = 65_536

    private struct State {
        var young: [SIMD2<UInt64>: UInt8] = [:]
        var old: [SIMD2<UInt64>: UInt8] = [:]
        var since = Timestamp.distantPast
    }
    private let state = Mutex(State())

    package init() {}

    /// Counts one attempt. Throws `challenge_attempts_exceeded` beyond the limit.
    package func count(_ challenge: Challenge, now: Timestamp) throws(Rejection) {
        let key = challenge.attemptKey
        let count = state.withLock { state -> UInt8 in
            if state.young.count >= Self.capacity
                || abs(now.milliseconds(since: state.since)) > ChallengeRule.longest
            {
                state.old = state.young
                state.young = [:]
                state.since = now
            }
            let count = (state.young[key] ?? state.old[key] ?? 0) + 1
            state.young[key] = min(count, Self.limit + 1)
            return count
        }
        guard count <= Self.limit else {
            throw Rejection(.challengeAttemptsExceeded, "more than \(Self.limit) attempts with one challenge")
        }
    }

    /// Takes an attempt back that was not the attester's fault, or that needs no count any more.
    package func forget(_ challenge: Challenge) {
        let key = challenge.attemptKey
        state.withLock { state in
            if let count = state.young[key], count > 1 { state.young[key] = count - 1 } else { state.young[key] = nil }
        }
    }
}

extension Challenge {
    /// The random part as two words: a key that hashes fast.
    fileprivate var attemptKey: SIMD2<UInt64> {
        random.withUnsafeBytes { bytes in
            guard bytes.count == 16 else { return SIMD2() }
            return SIMD2(
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
    }
}
