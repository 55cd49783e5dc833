import AssayCore
import AssayMetrics
import Synchronization

/// Since when a thread has served the same jobs, with trips to the database or with attempts to reach it.
final class BusyTime: Sendable {
    /// Jobs that take longer are late, in nanoseconds: the slowest commits under a checkpoint take this long.
    private static let limit: UInt64 = 500_000_000

    private let since = Atomic<UInt64>(0)

    func begin() { since.store(MonotonicTime.nanoseconds(), ordering: .relaxed) }
    func end() { since.store(0, ordering: .relaxed) }

    /// `nil` if the thread is idle, or serves jobs that it began a moment ago.
    var lateness: LedgerError? {
        let since = since.load(ordering: .relaxed)
        guard since != 0 else { return nil }
        let now = MonotonicTime.nanoseconds()
        guard now > since, now - since > Self.limit else { return nil }
        return .unavailable("the database has not answered for \((now - since) / 1_000_000) ms")
    }
}
