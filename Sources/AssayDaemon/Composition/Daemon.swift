package import AssayConfiguration
package import AssayCore
package import AssayMetrics
package import AssayOperations
package import AssayRPC
package import AssayService
package import AssayTraceExport
package import AssayVendors
package import Logging
package import ServiceLifecycle

/// The daemon, composed and ready to run.
package struct Daemon: Sendable {
    package let server: RPCServer
    /// What runs beside the server until the daemon stops, in the order of starting; stopped in the opposite order, after the
    /// server.
    package let backgroundServices: [any Service]
    /// What follows the configuration while the daemon runs.
    package let reloadSteps: [ReloadStep]
    let parts: DaemonParts
    let methods: MethodsPart
    private let operating: OperationsPart

    fileprivate init(_ parts: DaemonParts, _ methods: MethodsPart, _ operating: OperationsPart, server: RPCServer) {
        (self.parts, self.methods, self.operating, self.server) = (parts, methods, operating, server)
        let all = parts.all(methods, operating)
        // Stopped right after the server: what is to be concluded is concluded when no caller is served any more.
        let maintenance = MaintenanceService(
            ledger: parts.base.ledger, keys: parts.store.keys, clock: parts.time.settled,
            tasks: all.flatMap(\.maintenanceTasks), logger: parts.base.logger)
        backgroundServices = all.flatMap(\.services) + [maintenance]
        reloadSteps = all.flatMap(\.reloadSteps)
    }

    /// Everything that runs.
    package var services: [any Service] { backgroundServices + [server] }
    /// Every part.
    var all: [any DaemonPart] { parts.all(methods, operating) }

    /// What talks to vendors, and what does so without being asked.
    package var vendors: VendorClient { parts.vendors.client }
    package var receipts: ReceiptExchanger { parts.vendors.receipts }
    package var revocationFeeds: [RevocationFeed] { parts.vendors.feeds }
    package var reloadProblem: ReloadProblem.Slot { parts.base.reloadProblem }
    /// Records the configurations that are put in force, that of the start included.
    package var changes: ChangeRecorder { parts.store.changes }
    /// The plugins of the catalog.
    package var plugins: PluginAdministration { parts.plugins.administration }
    /// Exports the traces of calls.
    package var exporter: SpanExporter { parts.traces.exporter }
    /// Probes, metrics and status over HTTP.
    package var operations: OperationsServer { operating.server }
    /// What the operations address shows.
    package var observation: DaemonObservation { operating.observation }

    /// Listens, and tells where: what was asked for, with the ports that the system chose. The addresses of the framed protocol come first.
    package func start() async throws -> [RPCAddress] { try await server.start() }
}

/// Composes the daemon of a configuration over a ledger. The mains and the tests call the same function.
///
/// Throws a `StartupError`, or what the ledger or the vault says, if the secrets of the ledger cannot be read.
///
/// - Parameter records: where verdicts are recorded; `nil`: nowhere.
package func makeDaemon(
    _ configuration: Configuration, ledger: any Ledger, vault: SecretVault, records: VerdictRecordPlace? = nil,
    clock: any WallClock = SystemClock(), libraryMetrics: LibraryMetrics? = nil, logger: Logger
) async throws -> Daemon {
    let live = configuration.live
    let base = DaemonBase(configuration.fixed, ledger: ledger, vault: vault, clock: clock, logger: logger)
    let parts = try await DaemonParts(base, live, records: records)
    try await parts.keepPolicies(of: live)
    let methods = MethodsPart(parts, live)
    let server = RPCServer(
        RPCService(
            methods: methods.methods.methods, access: methods.methods.access, state: parts.listening.serving,
            lateness: { ledger.lateness.map { RPCError($0) } }),
        fronts: parts.listening.fronts, stopping: { [hub = parts.watching.hub] in hub.stop() })
    let libraries: [any MetricsCollector] = libraryMetrics.map { [$0] } ?? []
    let operating = OperationsPart(parts, methods, server, collectors: parts.collectors(methods) + libraries, live)
    try await parts.plugins.awaitRequired()
    await parts.store.changes.record(.configurationLoad(live.digest, version: Version.text, by: .start), at: clock.now())
    return Daemon(parts, methods, operating, server: server)
}
