import AssayConfiguration
import AssayCore
import AssayMetrics
import AssayService
import Logging

/// What every part is made from: the fixed configuration, the ledger with the key of its secrets, the clock and the log of one process.
struct DaemonBase: DaemonPart {
    let fixed: FixedConfiguration
    let ledger: any Ledger
    let vault: SecretVault
    let clock: any WallClock
    let logger: Logger
    let startedAt: Timestamp
    /// Why the last reload was refused.
    let reloadProblem = ReloadProblem.Slot()

    init(_ fixed: FixedConfiguration, ledger: any Ledger, vault: SecretVault, clock: any WallClock, logger: Logger) {
        (self.fixed, self.ledger, self.vault) = (fixed, ledger, vault)
        (self.clock, self.logger) = (clock, logger)
        startedAt = clock.now()
    }

    /// The ledger's one secret of a name, made on first use: 32 bytes. Throws what the ledger or the vault says.
    func secret(_ name: String) async throws -> [UInt8] {
        try await vault.kept(name, in: ledger, at: clock.now())
    }

    var collectors: [any MetricsCollector] { [ProcessMetrics()] }
}
