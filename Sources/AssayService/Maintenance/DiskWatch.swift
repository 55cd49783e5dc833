package import AssayCore
package import Logging
import Synchronization

/// Warns well before the disk under the ledger is full: a ledger that cannot write accepts nothing any more.
package final class DiskWatch: MaintenanceTask {
    private let rule: DiskSpaceRule
    private let measure: @Sendable () -> DiskSpace?
    private let logger: Logger
    private let wasLow = Mutex(false)

    /// - Parameter measure: asks the file system; `nil` if it gives no answer.
    package init(rule: DiskSpaceRule, logger: Logger, measure: @escaping @Sendable () -> DiskSpace?) {
        (self.rule, self.logger, self.measure) = (rule, logger, measure)
    }

    /// The free space now, and whether it is below the limit.
    package func look() -> (space: DiskSpace, isLow: Bool)? {
        guard let space = measure() else { return nil }
        return (space, rule.isLow(space))
    }

    /// Logs when space becomes short, and when there is enough again.
    package func perform() async {
        guard let (space, isLow) = look() else { return }
        let changed = wasLow.withLock { wasLow in
            defer { wasLow = isLow }
            return wasLow != isLow
        }
        guard changed else { return }
        let metadata: Logger.Metadata = ["free_bytes": "\(space.free)", "capacity_bytes": "\(space.capacity)"]
        if isLow {
            logger.warning("the disk of the ledger is nearly full; when it is full nothing is accepted", metadata: metadata)
        } else {
            logger.notice("the disk of the ledger has room again", metadata: metadata)
        }
    }
}
