import AssayApps
import AssayConfiguration
import AssayCore
import AssayMetrics
import AssayService

/// The parts that a daemon keeps over all configurations: named here, and where they are used. The methods and the operations address are
/// parts that are made of these.
struct DaemonParts: Sendable {
    let base: DaemonBase
    let time: ClockPart
    let store: LedgerPart
    let vendors: VendorsPart
    let records: RecordsPart
    /// The secrets of the apps' fleets.
    let fleets: FleetSecretsCache
    let rates: RatesPart
    let plugins: PluginsPart
    let authorities: AuthoritiesPart
    let results: ResultsPart
    let statusLists: StatusListsPart
    let traces: TracesPart
    let listening: ListeningPart
    let watching: WatchingPart
    let callers: CallersPart
    let sharing: SharingPart

    /// Throws a `StartupError`, or what the ledger or the vault says.
    ///
    /// - Parameter records: where verdicts are recorded; `nil`: nowhere.
    init(_ base: DaemonBase, _ live: LiveConfiguration, records: VerdictRecordPlace?) async throws {
        self.base = base
        time = try await ClockPart(base)
        store = try await LedgerPart(base, time)
        vendors = try VendorsPart(
            base, time, live, preparations: PreparationSecrets(root: try await base.secret("preparations")))
        self.records = try await RecordsPart(base, store, live, in: records)
        fleets = FleetSecretsCache(root: try await base.secret("fleet"))
        rates = try await RatesPart(base)
        plugins = try await PluginsPart(base, live, fleets: fleets, flags: store.flags)
        authorities = try AuthoritiesPart(base, live)
        results = try await ResultsPart(base, live)
        statusLists = try await StatusListsPart(base, live, keys: results.keys)
        traces = try TracesPart(base, live)
        listening = try ListeningPart(base, live, resources: [authorities.files, results.files, statusLists.files])
        watching = try WatchingPart(base, live)
        callers = try await CallersPart(base)
        sharing = SharingPart(base, store, callers)
    }

    /// Every part, in the order in which they start and follow a reload. They stop in the opposite order: the traces last, after the last
    /// calls, and before them the operations address, which answers probes while the plugins end; who asks vendors before their client.
    func all(_ methods: MethodsPart, _ operations: OperationsPart) -> [any DaemonPart] {
        [
            base, store, traces, operations, plugins, methods, vendors, watching, authorities, results, statusLists, time,
            records, rates, callers, sharing, listening,
        ]
    }

    /// What every part measures, in the order of a scrape, which is that of `docs/reference/metrics.md`.
    func collectors(_ methods: MethodsPart) -> [any MetricsCollector] {
        let measured: [any DaemonPart] = [
            methods, listening, vendors, traces, callers, watching, time, records, store, base, plugins, statusLists,
        ]
        return measured.flatMap(\.collectors)
    }

    // MARK: What a configuration is to the parts

    /// Keeps what judges under a configuration, so that a digest in a verdict can be followed to its text. Called before it judges.
    func keepPolicies(of live: LiveConfiguration) async throws(LedgerError) {
        let now = base.clock.now()
        try await base.ledger.keep(
            policies: live.apps.flatMap { [$0] + ($0.shadowed.map { [$0] } ?? []) }.map { app in
                let policy = live.policy(of: app)
                return StoredPolicy(digest: policy.digest, app: app.id, text: policy.text, firstSeen: now)
            })
    }

    /// The apps of a configuration. Every part that follows them is told of them.
    func apps(under live: LiveConfiguration) -> AppDirectory {
        let dependencies = vendors.dependencies(under: live)
        fleets.follow(live.apps.filter { $0.provisioning?.fleet != nil }.map(\.id))
        let apps = AppDirectory(
            live.apps.map { app in
                let fleet = app.provisioning?.fleet.flatMap { rule in fleets[app.id].map { Fleet(rule, $0) } }
                return AppProfile(
                    app, of: live.schemes, in: dependencies, fleet: fleet, plugins: plugins.supervised,
                    results: app.results.map(results.composer), logger: base.logger)
            })
        watching.registeredApps.value = apps
        records.facts.follow(apps)
        records.shadow.follow(apps)
        return apps
    }
}
