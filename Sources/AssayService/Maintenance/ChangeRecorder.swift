package import AssayCore
package import Logging

/// Records changes in the audit log that are made elsewhere than in the ledger: configurations and lists that are put in force.
///
/// A change that the ledger cannot take now is kept and tried again in each period and before the next one, in the order in which
/// the changes were made. It is lost if the process ends before that; the log says so when it is kept and when it stops.
package actor ChangeRecorder: MaintenanceTask {
    /// The most changes that wait.
    package static let limit = 1000

    private let ledger: any AuditLog
    private let logger: Logger
    private var waiting: [(change: AuditChange, time: Timestamp)] = []
    /// The last of the writers, who wait for each other.
    private var writer: Task<LedgerError?, Never>?

    package init(ledger: any AuditLog, logger: Logger) { (self.ledger, self.logger) = (ledger, logger) }

    /// Records a change. It is durable on return, or kept.
    package func record(_ change: AuditChange, at time: Timestamp) async {
        guard waiting.count < Self.limit else {
            logger.error("a change is not recorded in the audit log: too many wait", metadata: change.names)
            return
        }
        waiting.append((change, time))
        guard let error = await write() else { return }
        logger.warning(
            "a change is not in the audit log yet and will be tried again",
            metadata: change.names.merging(["problem": "\(error)"]) { $1 })
    }

    package func perform() async throws { if let error = await write() { throw error } }

    package func conclude() async throws {
        guard await write() != nil else { return }
        for (change, _) in waiting { logger.error("a change was never recorded in the audit log", metadata: change.names) }
    }

    /// Returns why something still waits.
    private func write() async -> LedgerError? {
        guard !waiting.isEmpty else { return nil }
        let before = writer
        let task = Task {
            _ = await before?.value
            return await writeAll()
        }
        writer = task
        return await task.value
    }

    private func writeAll() async -> LedgerError? {
        while let (change, time) = waiting.first {
            do throws(LedgerError) { try await ledger.record(change, at: time) } catch { return error }
            waiting.removeFirst()
        }
        return nil
    }
}

extension AuditChange {
    /// What the log calls it.
    fileprivate var names: Logger.Metadata {
        ["change": "\(kind.name)", "digest": "\(Hex.encode(digest))"]
    }
}
