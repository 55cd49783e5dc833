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
    private let busy = BusyTime()

    package init() {}

    package func began() { busy.begin() }

    package func ended(entries: Int) {
        busy.end()
        sizes.record(UInt64(clamping: entries))
    }

    package func committed(in nanoseconds: UInt64) { durations.record(nanoseconds) }

    package func failed() { failures.wrappingAdd(1, ordering: .relaxed) }

    package var failedCount: UInt64 { failures.load(ordering: .relaxed) }

    package var busySeconds: Double { Double(busy.nanoseconds) / 1e9 }
}
