import Synchronization

/// How often a verifier looks for a slip where each attempt costs the verification of a signature (``ClientDataSlip``).
///
/// An app that is being written makes a few mistakes, and each is explained. Who sends bad signatures to cost time gets the same refusals
/// without an explanation: they must not cost more than acceptances. So what was used up comes back in pauses only, and none of it while more are
/// sent than one in ``interval``.
package final class SlipBudget: Sendable {
    /// What is there at first, and the most that is saved up.
    package static let most = 64
    /// One more becomes available in so many milliseconds in which none was wanted in vain, by the time of the appraisals.
    package static let interval: Int64 = 1000

    private struct State {
        var left = SlipBudget.most
        /// The time up to which `left` has been filled.
        var filled = Timestamp(unixMilliseconds: 0)
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether a slip may be looked for now. Takes one if so.
    package func take(at now: Timestamp) -> Bool {
        state.withLock { state in
            if state.left == Self.most {
                state.filled = now
            } else if now > state.filled {
                let more = (now.unixMilliseconds - state.filled.unixMilliseconds) / Self.interval
                state.left = Int(min(Int64(Self.most), Int64(state.left) + more))
                state.filled = state.filled.adding(milliseconds: more * Self.interval)
            }
            guard state.left > 0 else {
                state.filled = max(state.filled, now)
                return false
            }
            state.left -= 1
            return true
        }
    }
}

extension SlipBudget {
    /// The sentence of the first slip that explains a signature, after a separator; empty if none of the most frequent ones does, or if too
    /// many were looked for lately.
    package func explanation(
        at now: Timestamp, among slips: @autoclosure () -> [ClientDataSlip], where isSigned: ([UInt8]) -> Bool
    ) -> String {
        guard take(at: now) else { return "" }
        return Array(slips().prefix(ClientDataSlip.signatureLimit)).explanation(where: isSigned)
    }
}
