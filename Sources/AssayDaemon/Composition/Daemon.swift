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
    /// What talks to vendors, and what does so without being asked.
    package let vendors: VendorClient
    package let receipts: ReceiptExchanger
    package let revocationFeeds: [RevocationFeed]
    /// Publishes the revocation lists of Assay's own CAs.
    package let revocationLists: RevocationListTask
    package let maintenance: MaintenanceService
    package let counters: VerdictCounters
    /// The calls of each method.
    package let calls: CallCounters
    /// What follows the configuration while the daemon runs.
    package let reloadSteps: [ReloadStep]
    package let reloadProblem: ReloadProblem.Slot
    /// Records the configurations that are put in force, that of the start included.
    package let changes: ChangeRecorder
    /// The plugins of the catalog.
    package let plugins: PluginAdministration
    /// Probes, metrics and status over HTTP.
    package let operations: OperationsServer
    /// Publishes changes to those who watch events.
    package let changeTail: ChangeTail
    package let webhooks: WebhookService
    /// Judges registered devices again after a change.
    package let reappraisal: Reappraisal
    /// Judges by the shadow policies of apps.
    package let shadow: ShadowJudge
    /// What the operations address shows.
    package let observation: DaemonObservation
    package let rateLevels: RateLevelsKeeper
    /// Follows a ledger that other daemons change too.
    package let sharedLedger: SharedLedgerTask?
    /// Exports the traces of calls.
    package let exporter: SpanExporter

    /// What runs beside the server until the daemon stops, in the order of starting; stopped in the opposite order, after the
    /// server.
    package var backgroundServices: [any Service] {
        // The exporter first: it is stopped last, after the last calls.
        [
            exporter, operations, PluginProcesses(supervised: plugins.supervised), vendors, webhooks, changeTail, reappraisal,
            shadow, receipts,
        ]
            + revocationFeeds
            + [revocationLists, maintenance, rateLevels] + (sharedLedger.map { [$0] } ?? [])
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
    let requestLog = RequestLog(logger: logger)
    let disk = DiskWatch(rule: fixed.store.disk, logger: logger) { [backend = fixed.store.backend] in
        backend.space()
    }
    let vendors = try VendorClient(live.vendors)
    let status = try await ledger.status()
    let memory = try await ledger.clockMemory() ?? status.assumedMemory
    let settled = SettledClock(clock, memory: memory)
    let horizon = SpentHorizon(status.spentHorizon)
    let changes = ChangeRecorder(ledger: ledger, logger: logger)
    let keys = try await ChallengeKeys(ledger: ledger, vault: vault, clock: clock, logger: logger)
    let subjects = try await SubjectKey(ledger: ledger, vault: vault, clock: clock)
    let recorder =
        records.map { VerdictRecorder($0.store, live.verdicts.rule, subjects: subjects, clock: clock) } ?? VerdictRecorder()
    let recordingVault = SecretVault(key: try await vault.kept("recordings", in: ledger, at: clock.now()))
    let facts = records?.recordings.map { FactRecorder($0, vault: recordingVault, clock: clock) } ?? FactRecorder()
    let shadow = ShadowJudge(clock: clock)
    let signer = try await AuditSigner(ledger: ledger, vault: vault, clock: clock)
    let fleets = FleetSecretsCache(root: try await vault.kept("fleet", in: ledger, at: clock.now()))
    let preparations = PreparationSecrets(root: try await vault.kept("preparations", in: ledger, at: clock.now()))
    let buckets = RateBuckets(secret: try await vault.kept("rates", in: ledger, at: clock.now()))
    let rateLevels = RateLevelsKeeper(buckets, in: fixed.store.ratesFile, logger: logger)
    rateLevels.restore()
    let plugins = supervisedPlugins(fixed.plugins, ledger: ledger, fleets: fleets, clock: clock, logger: logger)
    try await plugins.supervised.prepare(live.plugins)()
    let authority = ReloadableAuthority(try deviceAuthorities(live.provisioning, logger: logger))
    let revocationListIssuer = RevocationListIssuer(
        ledger: ledger, authority: authority, rule: live.revocationListRule,
        takes: { () throws(LedgerError) in try await ledger.takes(.revocationLists) }, clock: clock, logger: logger)
    let revocationLists = RevocationListTask(
        issuer: revocationListIssuer, authority: authority, publish: live.publishesRevocationLists, clock: clock, logger: logger
    )
    let exporter = SpanExporter(
        TraceResource(version: Version.text, instance: Hex.encode(SecureRandom.bytes(16))), clock: clock, logger: logger)
    try exporter.prepare(live.traces)()
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
    let hub = WatchHub(clock: clock)
    let changeTail = ChangeTail(ledger: ledger, hub: hub, clock: clock, logger: logger)
    let webhooks = WebhookService(hub: hub, clock: clock, logger: logger)
    try webhooks.prepare(live.webhookRules(beside: fixed.store.ownFiles))()
    let registeredApps = AppDirectory.Slot()
    let reappraisal = Reappraisal(
        ledger: ledger, hub: hub, rule: ReappraisalRule(devicesPerSecond: live.reappraisal.devicesPerSecond), clock: clock,
        logger: logger, apps: { registeredApps.value })
    let serving = ServingState(fixed.limits.calls, processors: FramedServer.processors, logger: logger)
    let parts = DaemonState(
        ledger: ledger, keys: keys, subjects: subjects, signer: signer, disk: disk, clock: clock,
        clockWatch: ClockWatch(ledger: ledger, clock: settled, horizon: horizon, memory: memory, logger: logger),
        horizon: horizon,
        startedAt: clock.now(), requestLog: requestLog,
        client: vendors,
        receipts: ReceiptExchanger(
            ledger: ledger, client: vendors, clock: clock, clockAhead: { settled.read().lead },
            takes: { () throws(LedgerError) in try await ledger.takes(.receipts) }, logger: logger),
        revocationFeeds: live.revocationLists.all.map { list in
            RevocationFeed(
                name: list.declaration.name, settings: live.settings(of: list), client: vendors, clock: clock, logger: logger)
        }, changes: changes, authority: authority, revocationListIssuer: revocationListIssuer,
        revocationLists: revocationLists, fleets: fleets, preparations: preparations, plugins: plugins, recorder: recorder,
        facts: facts,
        shadow: shadow, hub: hub,
        changeTail: changeTail,
        webhooks: webhooks, reappraisal: reappraisal, registeredApps: registeredApps,
        buckets: buckets, keyDirectory: KeyDirectory(try await ledger.callerKeys(), clock: clock),
        statistics: { serving.statistics(with: fronts) }, certificates: certificates, exporter: exporter, logger: logger)
    let lists = RevocationFileTask(clock: clock, logger: logger)
    lists.follow(live.revocationFiles.map(\.file))
    parts.receipts.use(parts.routes(under: live))
    try await parts.keepPolicies(of: live)
    let composed = ComposedMethods(parts, live)
    let methods = composed.methods
    plugins.supervised.onChange = { _ in composed.follow() }
    composed.follow()
    let server = RPCServer(
        RPCService(
            methods: methods.methods, access: methods.access, state: serving, lateness: { ledger.lateness.map { RPCError($0) } }
        ),
        fronts: fronts, stopping: { hub.stop() })
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
        ReloadStep("device CAs", follows: [\.provisioning]) { new in
            let next = try deviceAuthorities(new.provisioning, logger: logger)
            let (rule, publish) = (new.revocationListRule, new.publishesRevocationLists)
            return {
                authority.exchange(for: next)
                revocationListIssuer.use(rule)
                revocationLists.use(publish: publish)
            }
        },
        ReloadStep("traces", follows: [\.traces]) { new in try exporter.prepare(new.traces) },
        ReloadStep("records of verdicts", follows: [\.verdicts]) { new in
            {
                records?.follow(new.verdicts)
                recorder.use(new.verdicts.rule)
            }
        },
        ReloadStep("webhooks", follows: [\.webhooks, \.vendors]) { new in
            try webhooks.prepare(new.webhookRules(beside: fixed.store.ownFiles))
        },
        ReloadStep("reappraisal", follows: [\.reappraisal]) { new in
            { reappraisal.use(ReappraisalRule(devicesPerSecond: new.reappraisal.devicesPerSecond)) }
        },
        ReloadStep("vendors", follows: [\.vendors, \.appleTeams, \.revocationLists]) { new in
            let exchange = try vendors.prepare(new.vendors)
            let routes = parts.routes(under: new)
            return {
                exchange()
                parts.receipts.use(routes)
                for (feed, list) in zip(parts.revocationFeeds, new.revocationLists.all) { feed.use(new.settings(of: list)) }
                lists.follow(new.revocationFiles.map(\.file))
            }
        },
    ]
    if let tls {
        steps.append(
            ReloadStep("certificates", follows: [\.tls]) { new in
                guard let settings = new.tls else { return {} }
                return try tls.prepare(settings)
            })
    }
    try await RequiredPlugins(supervised: plugins.supervised, logger: logger).awaitReadiness()
    await changes.record(
        .configurationLoad(live.digest, version: Version.text, by: .start), at: clock.now())
    return Daemon(
        server: server, vendors: vendors, receipts: parts.receipts, revocationFeeds: parts.revocationFeeds,
        revocationLists: revocationLists,
        maintenance: MaintenanceService(
            ledger: ledger, keys: parts.keys, clock: settled,
            tasks: [
                changes,
                AuditPublisher(ledger: ledger, signer: parts.signer, clock: clock, logger: logger),
                RetentionTask(
                    ledger: ledger, rule: fixed.store.retention, memory: parts.memory, clock: settled, logger: logger),
                disk, lists, revocationLists, parts.clockWatch, recorder, facts,
            ],
            logger: logger),
        counters: parts.counters, calls: parts.calls, reloadSteps: steps, reloadProblem: parts.reloadProblem, changes: changes,
        plugins: plugins, operations: operations, changeTail: changeTail, webhooks: webhooks, reappraisal: reappraisal,
        shadow: shadow, observation: observation, rateLevels: rateLevels,
        sharedLedger: (ledger as? any OpenedLedger).flatMap { ledger in
            guard ledger.isShared else { return nil }
            return SharedLedgerTask(
                ledger, parts.keyDirectory, keys, hasStaleSecrets: { ledger.hasStaleSecrets }, logger: logger)
        },
        exporter: exporter)
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
        let (loadedAt, descriptions) = (parts.clock.now(), parts.plugins.descriptions)
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
            (state.live, state.loadedAt) = (new, parts.clock.now())
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

extension LedgerStatus {
    /// Of a ledger that kept nothing of the clock: its last entry is the last time that is known.
    fileprivate var assumedMemory: ClockMemory? {
        lastEntryAt.map { ClockMemory(believed: $0, uptime: BootClock.milliseconds()) }
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
