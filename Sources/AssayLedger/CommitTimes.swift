package import AssayMetrics
import Synchronization

/// What the writing thread does, measured by itself: the sizes and durations of its transactions, and since when it has been at the
/// present one.
package final class CommitTimes: Sendable {
    /// Entries of one transaction.
    package let sizes = Histogram(counts: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024])
    /// Of transactions that were committed, the sync included.
    package let durations = Histogram(seconds: Histogram.workSeconds)
    private let failures = Atomic<UInt64>(0)
    /// Nanoseconds of the monotonic clock; 0 while the writer waits.
    private let busySince = Atomic<UInt64>(0)

    package init() {}

    package func began() { busySince.store(MonotonicTime.nanoseconds(), ordering: .relaxed) }

    package func ended(entries: Int) {
        busySince.store(0, ordering: .relaxed)
        sizes.record(UInt64(clamping: entries))
    }

    package func committed(in nanoseconds: UInt64) { durations.record(nanoseconds) }

    package func failed() { failures.wrappingAdd(1, ordering: .relaxed) }

    package var failedCount: UInt64 { failures.load(ordering: .relaxed) }

    package var busySeconds: Double {
        let since = busySince.load(ordering: .relaxed)
        let now = MonotonicTime.nanoseconds()
        return since == 0 || now < since ? 0 : Double(now - since) / 1e9
    }
}
