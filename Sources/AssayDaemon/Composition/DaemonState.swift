import AssayAPI
import AssayCertificates
import AssayConfiguration
import AssayCore
import AssayRPC
import AssaySchemes
import AssayService
import AssayTraceExport
import AssayVendors
import Foundation
import Logging

/// What a daemon keeps whatever its configuration says: what remembers, what counts, and what keeps time.
struct DaemonState: Sendable {
    let base: DaemonBase
    let time: ClockPart
    let store: LedgerPart
    let requestLog: RequestLog
    let vendors: VendorsPart
    let authorities: AuthoritiesPart
    /// The secrets of the apps' fleets.
    let fleets: FleetSecretsCache
    let plugins: PluginAdministration
    let records: RecordsPart
    let watching: WatchingPart
    let rates: RatesPart
    let callers: CallersPart
    /// The counts of calls and of the fronts' connections.
    let statistics: @Sendable () -> RPCStatistics
    let certificates: CertificateEnd.Slot
    let traces: TracesPart
    let attempts = ChallengeAttempts()
    /// For the methods that take turns, all callers together: one place for four processors, so that verdicts keep the others.
    let limiter = ConcurrencyLimiter(places: ProcessInfo.processInfo.activeProcessorCount / 4)
    let counters = VerdictCounters()
    let calls = CallCounters()
    let metrics = MetricsSource()
    let stages = StageTimes()
    let measures = EvidenceMeasures()

    /// Keeps what judges under a configuration, so that a digest in a verdict can be followed to its text. Called before it judges.
    func keepPolicies(of live: LiveConfiguration) async throws(LedgerError) {
        let now = base.clock.now()
        try await base.ledger.keep(
            policies: live.apps.flatMap { [$0] + ($0.shadowed.map { [$0] } ?? []) }.map { app in
                let policy = live.policy(of: app)
                return StoredPolicy(digest: policy.digest, app: app.id, text: policy.text, firstSeen: now)
            })
    }

    /// The methods as the configuration has them.
    ///
    /// - Parameter loadedAt: when the configuration was put in force.
    func services(under live: LiveConfiguration, loadedAt: Timestamp) -> ComposedServices {
        let dependencies = vendors.dependencies(under: live)
        fleets.follow(live.apps.filter { $0.provisioning?.fleet != nil }.map(\.id))
        let apps = AppDirectory(
            live.apps.map { app in
                let fleet = app.provisioning?.fleet.flatMap { rule in fleets[app.id].map { Fleet(rule, $0) } }
                return AppProfile(
                    app, of: live.schemes, in: dependencies, fleet: fleet, plugins: plugins.supervised, logger: base.logger)
            })
        watching.registeredApps.value = apps
        records.facts.follow(apps)
        records.shadow.follow(apps)
        for app in apps.all {
            let formats = Array(app.verifiers.keys) + (app.fleet == nil ? [] : [.fleetDevice])
            counters.know(app.id, formats: formats.sorted { $0.rawValue < $1.rawValue })
        }
        callers.calls.know(live.callers.known.map(\.caller.name))
        let observed = ObservedVerdicts(PluginObservers(plugins.supervised), hub: watching.hub)
        let authorizer = CallAuthorizer(
            callers: live.callers, apps: apps, keys: callers.keys, requestLog: requestLog)
        let rates = RateLimits(caller: live.rates.caller, apps: live.appRates, buckets: self.rates.buckets, counters: counters)
        let pipeline = VerificationPipeline(
            ledger: base.ledger, keys: store.keys, subjects: store.subjects, attempts: attempts, memory: store.useLimit,
            inquiries: vendors.inquiries,
            inquiryShare: live.inquiryShare, stages: stages, measures: measures, rates: rates,
            refusals: RefusalMemory(counters: counters),
            followers: VerdictFollowers(recorder: records.facts, shadow: records.shadow),
            revoked: authorities.revoked)
        let answering = Answering(
            pipeline: pipeline, rates: rates, clock: base.clock,
            followers: [counters, requestLog, observed, records.recorder, TraceNotes()])
        let attestation = AttestationService(
            answering: answering, keys: store.keys, counters: counters, clock: base.clock, horizon: time.horizon)
        let devices = DevicesService(
            ledger: base.ledger, subjects: store.subjects, clock: base.clock, requestLog: requestLog, recordings: records.facts,
            revoked: authorities.revoked)
        let provisioning = ProvisioningService(
            ledger: base.ledger, authority: authorities.authority, lists: authorities.issuer, answering: answering,
            clock: base.clock,
            requestLog: requestLog,
            revoked: authorities.revoked)
        let fleetService = FleetService(
            ledger: base.ledger, authority: authorities.authority, answering: answering, clock: base.clock,
            requestLog: requestLog,
            revoked: authorities.revoked)
        let audit = AuditService(ledger: base.ledger, clock: base.clock, requestLog: requestLog)
        let lists = vendors.feeds.map { $0 as any TrustFeed } + live.revocationFiles.map { $0 as any TrustFeed }
        let operations = OperationsService(
            apps: apps, callers: live.callers, rates: rates, ledger: base.ledger, counters: counters, signer: store.signer,
            disk: store.disk,
            memory: store.useLimit,
            facts: OperationsService.Facts(
                version: Version.text, startedAt: base.startedAt, anchors: live.anchors.map(AnchorFacts.init),
                configurationDigest: live.digest, loadedAt: loadedAt),
            clock: base.clock, clockReport: { [watch = time.watch] in watch.report },
            transport: statistics,
            receipts: { [receipts = vendors.receipts] in receipts.report }, reloadProblem: base.reloadProblem, feeds: lists,
            certificates: certificates,
            authorities: { [lists = authorities.lists] in lists.report() }, plugins: plugins,
            records: { [recorder = records.recorder] in recorder.status },
            reappraisal: { [reappraisal = watching.reappraisal] in reappraisal.report }, webhooks: watching.webhooks,
            metrics: metrics)
        let keyService = KeysService(
            ledger: base.ledger, directory: callers.keys, rule: live.callers.keys, clock: base.clock, requestLog: requestLog)
        let feeds = FeedsService(feeds: lists, changes: store.changes, clock: base.clock, requestLog: requestLog)
        let methods = ServedMethods(
            attestation.methods + devices.methods + operations.methods + keyService.methods + audit.methods + feeds.methods
                + provisioning.methods + fleetService.methods + PluginsService(plugins, requestLog: requestLog).methods
                + WatchService(hub: watching.hub, tail: watching.changeTail, clock: base.clock).methods
                + WebhooksService(watching.webhooks, changes: store.changes, clock: base.clock, requestLog: requestLog).methods
                + VerdictsService(recorder: records.recorder, apps: apps, subjects: store.subjects, ledger: base.ledger).methods
                + PoliciesService(
                    ledger: base.ledger, apps: apps, recordings: records.facts, shadow: records.shadow, requestLog: requestLog
                ).methods,
            authorizer: authorizer,
            limiter: limiter, counters: calls, tracer: traces.exporter.tracer, callers: callers.calls)
        return ComposedServices(methods: methods, operations: operations)
    }
}

/// The services as one configuration has them: for calls, and for the operations address.
struct ComposedServices: Sendable {
    let methods: ServedMethods
    let operations: OperationsService
}
