import AssayConfiguration
import AssayCore
import AssayMetrics
import AssayPlugins
import AssayService
import Logging
import ServiceLifecycle

/// The plugins of the catalog, and their processes.
struct PluginsPart: DaemonPart {
    let administration: PluginAdministration
    private let logger: Logger

    var supervised: SupervisedPlugins { administration.supervised }

    /// Starts the plugins of the configuration, and does not wait for them. Throws if they cannot be prepared.
    ///
    /// - Parameters:
    ///   - fleets: the secrets of the apps' fleets, which plugins may ask for.
    ///   - flags: counts the flags that plugins set and clear.
    init(
        _ base: DaemonBase, _ live: LiveConfiguration, fleets: FleetSecretsCache, flags: DeviceFlagCounters
    ) async throws {
        let (settings, ledger, logger, clock) = (base.fixed.plugins, base.ledger, base.logger, base.clock)
        self.logger = logger
        let environment = PluginEnvironment(
            launcher: settings.launcher, user: settings.user, stateFolder: settings.state, daemonVersion: Version.text,
            host: { LedgerPluginHost($0, ledger: ledger, fleets: fleets, flags: flags, clock: clock, logger: logger) },
            logger: logger, clock: clock)
        administration = PluginAdministration(SupervisedPlugins(environment))
        try await supervised.prepare(live.plugins)()
    }

    /// Returns when each plugin that the catalog requires is ready. Throws if one cannot be started, or is not ready in time.
    func awaitRequired() async throws {
        try await RequiredPlugins(supervised: supervised, logger: logger).awaitReadiness()
    }

    var services: [any Service] { [PluginProcesses(supervised: supervised)] }
    var reloadSteps: [ReloadStep] {
        [ReloadStep("plugins", follows: [\.plugins]) { [supervised] new in try await supervised.prepare(new.plugins) }]
    }
    var collectors: [any MetricsCollector] { [PluginKillMetrics(plugins: supervised)] }
}
