import AssayAPI
package import AssayConfiguration
package import AssayCore
import AssayFramedRPC
import AssayListening
package import AssayMetrics
package import AssayOperations
import AssayPlugins
package import AssayRPC
import AssaySchemes
package import AssayService
package import AssayTraceExport
package import AssayVendors
import Foundation
package import Logging
package import ServiceLifecycle
import Synchronization

/// The daemon, composed and ready to run.
package struct Daemon: Sendable {
    package let server: RPCServer
    let maintenance: MaintenanceService
    let parts: DaemonState
    let sharing: SharingPart
    /// What follows the configuration while the daemon runs.
    package let reloadSteps: [ReloadStep]
    /// Probes, metrics and status over HTTP.
    package let operations: OperationsServer
    /// What the operations address shows.
    package let observation: DaemonObservation

    package var vendors: VendorClient { parts.vendors.client }
    package var receipts: ReceiptExchanger { parts.vendors.receipts }
    package var revocationFeeds: [RevocationFeed] { parts.vendors.feeds }
    package var reloadProblem: ReloadProblem.Slot { parts.base.reloadProblem }
    /// Records the configurations that are put in force, that of the start included.
    package var changes: ChangeRecorder { parts.store.changes }
    /// The plugins of the catalog.
    package var plugins: PluginAdministration { parts.plugins }
    /// Exports the traces of calls.
    package var exporter: SpanExporter { parts.traces.exporter }

    /// What runs beside the server until the daemon stops, in the order of starting; stopped in the opposite order, after the
    /// server.
    package var backgroundServices: [any Service] {
        // The exporter first: it is stopped last, after the last calls.
        parts.traces.services + [operations, PluginProcesses(supervised: plugins.supervised)]
            + parts.vendors.services + parts.watching.services + parts.authorities.services + parts.records.services
            + parts.rates.services + sharing.services + [maintenance]
    }
    /// Everything that runs.
    package var services: [any Service] { backgroundServices + [server] }

    /// Listens, and tells where: what was asked for, with the ports that the system chose.
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
    let (fixed, live) = (configuration.fixed, configuration.live)
    let base = DaemonBase(fixed, ledger: ledger, vault: vault, clock: clock, logger: logger)
    let time = try await ClockPart(base)
    let store = try await LedgerPart(base, time)
    let vendors = try VendorsPart(base, time, live)
    let records = try await RecordsPart(base, store, live, in: records)
    let fleets = FleetSecretsCache(root: try await base.secret("fleet"))
    let rates = try await RatesPart(base)
    let plugins = supervisedPlugins(fixed.plugins, ledger: ledger, fleets: fleets, clock: clock, logger: logger)
    try await plugins.supervised.prepare(live.plugins)()
    let authorities = try AuthoritiesPart(base, live)
    let traces = try TracesPart(base, live)
    let certificates = CertificateEnd.Slot()
    let tls = try live.tls.map { try DaemonTLS($0, clock: clock, logger: logger, ends: certificates) }
    // Event loops only move bytes. One for four processors keeps up with the workers, and what waits while it works comes
    // in one read and leaves in one write.
    let eventLoops = max(1, ProcessInfo.processInfo.activeProcessorCount / 4)
    let fronts: [any RPCFront] = [
        FramedServer(
            addresses: fixed.listen, limits: fixed.limits.framed, connections: fixed.limits.connections, logger: logger,
            threads: eventLoops,
            tls: tls?.server, withoutCertificates: fixed.withoutCertificates)
    ]
    let watching = try WatchingPart(base, live)
    let callers = try await CallersPart(base)
    let sharing = SharingPart(base, store, callers)
    let serving = ServingState(fixed.limits.calls, processors: FramedServer.processors, logger: logger)
    let parts = DaemonState(
        base: base, time: time, store: store, requestLog: RequestLog(logger: logger), vendors: vendors,
        authorities: authorities, fleets: fleets, plugins: plugins, records: records, watching: watching, rates: rates,
        callers: callers, statistics: { serving.statistics(with: fronts) }, certificates: certificates, traces: traces)
    try await parts.keepPolicies(of: live)
    let composed = ComposedMethods(parts, live)
    let methods = composed.methods
    plugins.supervised.onChange = { _ in composed.follow() }
    composed.follow()
    let server = RPCServer(
        RPCService(
            methods: methods.methods, access: methods.access, state: serving, lateness: { ledger.lateness.map { RPCError($0) } }
        ),
        fronts: fronts, stopping: { [hub = watching.hub] in hub.stop() })
    let observation = DaemonObservation(
        services: { composed.services }, server: server, collectors: parts.collectors(libraryMetrics),
        writer: ledger as? any MeasuredLedger)
    parts.metrics.use { await observation.response }
    let operations = OperationsServer(
        addresses: fixed.operate, withoutCertificates: fixed.operateWithoutCertificates, rule: observation.rule(live.operate),
        source: observation.source, tls: tls?.server,
        logger: logger)
    var steps = [
        ReloadStep("plugins", follows: [\.plugins]) { new in try await plugins.supervised.prepare(new.plugins) },
        // After the plugins, whose supervisors the methods refer to.
        ReloadStep(
            "callers, apps and anchors", follows: [\.callers, \.rates, \.apps, \.testRoots, \.plugins, \.schemes, \.digest]
        ) {
            new in
            try await parts.keepPolicies(of: new)
            return { composed.compose(under: new) }
        },
        ReloadStep("operations", follows: [\.operate]) { new in { operations.use(observation.rule(new.operate)) } },
    ]
    if let tls {
        steps.append(
            ReloadStep("certificates", follows: [\.tls]) { new in
                guard let settings = new.tls else { return {} }
                return try tls.prepare(settings)
            })
    }
    let all: [any DaemonPart] = [
        base, store, traces, vendors, watching, authorities, time, records, rates, callers, sharing,
    ]
    try await RequiredPlugins(supervised: plugins.supervised, logger: logger).awaitReadiness()
    await store.changes.record(
        .configurationLoad(live.digest, version: Version.text, by: .start), at: clock.now())
    return Daemon(
        server: server,
        maintenance: MaintenanceService(
            ledger: ledger, keys: store.keys, clock: time.settled, tasks: all.flatMap(\.maintenanceTasks), logger: logger),
        parts: parts, sharing: sharing, reloadSteps: steps + all.flatMap(\.reloadSteps), operations: operations,
        observation: observation)
}

/// The plugins of a catalog, none of them started.
private func supervisedPlugins(
    _ settings: PluginSettings, ledger: any Ledger, fleets: FleetSecretsCache, clock: any WallClock, logger: Logger
) -> PluginAdministration {
    let environment = PluginEnvironment(
        launcher: settings.launcher, user: settings.user, stateFolder: settings.state, daemonVersion: Version.text,
        host: { LedgerPluginHost($0, ledger: ledger, fleets: fleets, logger: logger) }, logger: logger, clock: clock)
    return PluginAdministration(SupervisedPlugins(environment))
}

/// The methods of the configuration in force, composed again when a plugin describes itself again.
private final class ComposedMethods: Sendable {
    private struct State {
        var live: LiveConfiguration
        var loadedAt: Timestamp
        /// What the plugins had said of themselves when the methods were composed.
        var descriptions: [PluginDescription?]
        var services: ComposedServices
    }

    let methods: ReloadableMethods
    private let parts: DaemonState
    private let state: Mutex<State>

    init(_ parts: DaemonState, _ live: LiveConfiguration) {
        let (loadedAt, descriptions) = (parts.base.clock.now(), parts.plugins.descriptions)
        self.parts = parts
        let services = parts.services(under: live, loadedAt: loadedAt)
        state = Mutex(State(live: live, loadedAt: loadedAt, descriptions: descriptions, services: services))
        methods = ReloadableMethods(services.methods)
    }

    /// As the configuration in force has them.
    var services: ComposedServices { state.withLock { $0.services } }

    /// Puts a configuration in force.
    func compose(under new: LiveConfiguration) {
        state.withLock { state in
            (state.live, state.loadedAt) = (new, parts.base.clock.now())
            compose(&state)
        }
    }

    /// Follows what plugins say of themselves: that one ended, or is ready again, changes no method.
    func follow() {
        state.withLock { state in
            if state.descriptions != parts.plugins.descriptions { compose(&state) }
        }
    }

    /// Under the lock, so that the methods of an earlier configuration never replace those of a later one.
    private func compose(_ state: inout State) {
        state.descriptions = parts.plugins.descriptions
        state.services = parts.services(under: state.live, loadedAt: state.loadedAt)
        methods.exchange(for: state.services.methods)
    }
}

/// Why the daemon does not start: a sentence for the operator, and the exit status, as `sysexits.h` numbers them.
package struct StartupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Something that it needs is unavailable.
    package static let unavailable: Int32 = 69
    /// The machine is not in order.
    package static let system: Int32 = 71

    package let description: String
    package let exitStatus: Int32

    package init(_ description: String, exitStatus: Int32 = Self.unavailable) {
        (self.description, self.exitStatus) = (description, exitStatus)
    }
}
