package import AssayCore
import Synchronization

/// The ledger's spent horizon as it was seen last: nothing that expires at or below it is accepted. It says before a challenge is
/// issued what the commit would say after it was used.
package final class SpentHorizon: Sendable {
    private let milliseconds: Atomic<Int64>

    package init(_ time: Timestamp = .distantPast) { milliseconds = Atomic(time.unixMilliseconds) }

    package var time: Timestamp { Timestamp(unixMilliseconds: milliseconds.load(ordering: .relaxed)) }

    package func note(_ time: Timestamp) { milliseconds.store(time.unixMilliseconds, ordering: .relaxed) }
}
