import AssayMetrics
import Synchronization

/// Since when a thread has served the same jobs.
package final class BusyTime: Sendable {
    /// 0 while the thread is idle.
    private let since = Atomic<UInt64>(0)

    package init() {}

    package func begin() { since.store(MonotonicTime.nanoseconds(), ordering: .relaxed) }
    package func end() { since.store(0, ordering: .relaxed) }

    /// 0 while the thread is idle.
    package var nanoseconds: UInt64 {
        let since = since.load(ordering: .relaxed)
        let now = MonotonicTime.nanoseconds()
        return since == 0 || now < since ? 0 : now - since
    }
}
