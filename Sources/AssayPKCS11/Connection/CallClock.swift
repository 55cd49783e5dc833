import AssayCore
import Synchronization

/// When the module's function was called that has not returned yet: how other threads notice that a token hangs.
final class CallClock: Sendable {
    /// In milliseconds of uptime; 0 between calls.
    private let started = Atomic<Int64>(0)

    func measure<T>(_ body: () throws(TokenError) -> T) throws(TokenError) -> T {
        started.store(BootClock.milliseconds(), ordering: .relaxed)
        defer { started.store(0, ordering: .relaxed) }
        return try body()
    }

    /// How long the present call has been running, in milliseconds; 0 between calls.
    var elapsed: Int64 {
        let start = started.load(ordering: .relaxed)
        return start == 0 ? 0 : BootClock.milliseconds() - start
    }
}
