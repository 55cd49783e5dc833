import Synchronization

/// Whether groups are tried as ``PlainGroup``, and how many were. After one that was undone some are not tried: where several daemons serve the
/// same devices at the same time, each group would be paid for twice.
final class PlainGroupAttempts: Sendable {
    struct Counts: Hashable {
        var accepted: UInt64 = 0
        /// Their entries were decided by what their rows say.
        var undone: UInt64 = 0
    }

    private struct State {
        var counts = Counts()
        /// How many groups were passed over after the last one that was undone. Twice as many are after the next one.
        var pause = 0
        /// How many are still passed over.
        var rest = 0
    }

    /// The most groups that are passed over.
    private static let longestPause = 64

    private let state = Mutex(State())

    var counts: Counts { state.withLock { $0.counts } }

    /// Whether the next group is to be tried. Asked once for each group.
    func mayTry() -> Bool {
        state.withLock { state in
            guard state.rest > 0 else { return true }
            state.rest -= 1
            return false
        }
    }

    func ended(accepted: Bool) {
        state.withLock { state in
            if accepted {
                state.counts.accepted += 1
                state.pause /= 2
            } else {
                state.counts.undone += 1
                state.pause = min(max(1, state.pause * 2), Self.longestPause)
                state.rest = state.pause
            }
        }
    }
}
