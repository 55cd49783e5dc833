import Synchronization

/// Lets one line of a kind through in a period, and counts those it holds back, so that an outage cannot fill the disk with
/// the same sentence.
package final class LogRateLimiter: Sendable {
    /// Kinds that are remembered. Beyond it every line of another kind is held back, until the period of one of them is over.
    static let kindLimit = 256

    private struct Passage {
        var next: ContinuousClock.Instant
        var heldBack: UInt64 = 0
    }

    private let period: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let passages = Mutex<[String: Passage]>([:])

    package init(
        period: Duration = .seconds(10), now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        (self.period, self.now) = (period, now)
    }

    /// How many lines of this kind were held back since the last one, or nil if this one is held back too.
    package func pass(_ kind: String) -> UInt64? {
        let now = now()
        return passages.withLock { passages in
            if let passage = passages[kind], now < passage.next {
                passages[kind]?.heldBack += 1
                return nil
            }
            if passages[kind] == nil, passages.count >= Self.kindLimit {
                passages = passages.filter { now < $0.value.next }
                guard passages.count < Self.kindLimit else { return nil }
            }
            let heldBack = passages[kind]?.heldBack ?? 0
            passages[kind] = Passage(next: now.advanced(by: period))
            return heldBack
        }
    }
}
