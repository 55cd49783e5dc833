import AssayCore
import AssayMetrics
import AssayService

/// Time: the clock without its steps ahead, the time up to which what was spent is forgotten, and what looks after both.
struct ClockPart: DaemonPart {
    let settled: SettledClock
    let horizon: SpentHorizon
    let watch: ClockWatch

    /// Throws what the ledger says, if what it keeps of the clock cannot be read.
    init(_ base: DaemonBase) async throws {
        let status = try await base.ledger.status()
        let memory = try await base.ledger.clockMemory() ?? status.assumedMemory
        settled = SettledClock(base.clock, memory: memory)
        horizon = SpentHorizon(status.spentHorizon)
        watch = ClockWatch(ledger: base.ledger, clock: settled, horizon: horizon, memory: memory, logger: base.logger)
    }

    var collectors: [any MetricsCollector] { [ClockStepMetrics(watch: watch)] }
    var maintenanceTasks: [any MaintenanceTask] { [watch] }
}

extension LedgerStatus {
    /// Of a ledger that kept nothing of the clock: its last entry is the last time that is known.
    fileprivate var assumedMemory: ClockMemory? {
        lastEntryAt.map { ClockMemory(believed: $0, uptime: BootClock.milliseconds()) }
    }
}
