package import AssayCore
package import Logging
import ServiceLifecycle

/// Periodic work: forgets what has expired, rotates challenge keys, and performs the maintenance tasks.
package struct MaintenanceService: Service {
    private let ledger: any LedgerMaintenance
    private let keys: ChallengeKeys
    private let clock: SettledClock
    private let period: Duration
    private let tasks: [any MaintenanceTask]
    private let logger: Logger

    package init(
        ledger: any LedgerMaintenance, keys: ChallengeKeys, clock: SettledClock, period: Duration = .seconds(60),
        tasks: [any MaintenanceTask] = [], logger: Logger
    ) {
        self.ledger = ledger
        self.keys = keys
        self.clock = clock
        self.period = period
        self.tasks = tasks
        self.logger = logger
    }

    /// Runs until graceful shutdown, which begins after the server has stopped. A failed task is logged and runs again a period later.
    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await attempt { try await ledger.purge(now: clock.now()) }
                await attempt { try await keys.rotate() }
                for task in tasks { await attempt { try await task.perform() } }
                do { try await Task.sleep(for: period) } catch { return }
            }
        }
        for task in tasks { await attempt { try await task.conclude() } }
    }

    /// A task that fails does not prevent the others.
    private func attempt(_ task: () async throws -> Void) async {
        do {
            try await task()
        } catch {
            logger.error("maintenance failed and will be tried again", metadata: ["error": "\(error)"])
        }
    }
}

/// A task that the daemon performs at intervals as long as it runs.
package protocol MaintenanceTask: Sendable {
    /// Called in every period. An error is logged, and the other tasks are performed all the same.
    func perform() async throws

    /// Called once, when the daemon stops and no caller is served any more.
    func conclude() async throws
}

extension MaintenanceTask {
    package func conclude() async throws {}
}
