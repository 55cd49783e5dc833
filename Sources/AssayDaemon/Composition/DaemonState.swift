import AssayAPI
import AssayApps
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
    let ledger: any Ledger
    let keys: ChallengeKeys
    let subjects: SubjectKey
    let signer: AuditSigner
    let disk: DiskWatch
    let clock: any WallClock
    let clockWatch: ClockWatch
    let horizon: SpentHorizon
    let startedAt: Timestamp
    let requestLog: RequestLog
    let client: VendorClient
    let receipts: ReceiptExchanger
    /// The fetched revocation lists.
    let revocationFeeds: [RevocationFeed]
    let changes: ChangeRecorder
    /// The CAs of device certificates, and their revocation lists.
    let authority: ReloadableAuthority
    let revocationListIssuer: RevocationListIssuer
    let revocationLists: RevocationListTask
    /// The secrets of the apps' fleets.
    let fleets: FleetSecretsCache
    /// The secrets of evidence that is made in two steps.
    let preparations: PreparationSecrets
    let plugins: PluginAdministration
    /// Records verdicts for operators.
    let recorder: VerdictRecorder
    /// Records what verdicts went by.
    let facts: FactRecorder
    /// Judges by the shadow policies of apps.
    let shadow: ShadowJudge
    /// Events, and those who watch them.
    let hub: WatchHub
    let changeTail: ChangeTail
    let webhooks: WebhookService
    let reappraisal: Reappraisal
    /// The apps of the configuration in force, for what judges devices again.
    let registeredApps: AppDirectory.Slot
    /// What is left of the rates.
    let buckets: RateBuckets
    /// The API keys of callers.
    let keyDirectory: KeyDirectory
    /// The counts of calls and of the fronts' connections.
    let statistics: @Sendable () -> RPCStatistics
    let certificates: CertificateEnd.Slot
    /// Traces calls and exports their spans.
    let exporter: SpanExporter
    let logger: Logger
    let links = LinkCache()
    let attempts = ChallengeAttempts()
    let memory = EvidenceUseLimit()
    /// For the methods that take turns, all callers together: one place for four processors, so that verdicts keep the others.
    let limiter = ConcurrencyLimiter(places: ProcessInfo.processInfo.activeProcessorCount / 4)
    let inquiries = OutsideInquiries()
    let counters = VerdictCounters()
    let calls = CallCounters()
    let callerCalls = CallerCounters()
    let metrics = MetricsSource()
    let stages = StageTimes()
    let measures = EvidenceMeasures()
    let reloadProblem = ReloadProblem.Slot()

    /// How receipts are exchanged, as the configuration has it.
    func routes(under live: LiveConfiguration) -> [ReceiptExchangeRoute] {
        let dependencies = dependencies(under: live)
        return live.apps.flatMap { app in
            app.sections.flatMap { $0.section.receiptRoutes(of: app.id, dependencies) }
        }
    }

    /// What the apps of one configuration share.
    private func dependencies(under live: LiveConfiguration) -> SchemeDependencies {
        SchemeDependencies(
            testRoots: live.testRoots, links: links,
            revocationLists: Dictionary(revocationFeeds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }),
            vendors: VendorAccess(
                client: client, teams: live.appleTeams.keys, callLimit: live.inquiryShare.questions, clock: clock,
                logger: logger), deviceAuthorities: live.provisioning?.anchors ?? [], preparations: preparations)
    }

    /// Keeps what judges under a configuration, so that a digest in a verdict can be followed to its text. Called before it judges.
    func keepPolicies(of live: LiveConfiguration) async throws(LedgerError) {
        let now = clock.now()
        try await ledger.keep(
            policies: live.apps.flatMap { [$0] + ($0.shadowed.map { [$0] } ?? []) }.map { app in
                let policy = live.policy(of: app)
                return StoredPolicy(digest: policy.digest, app: app.id, text: policy.text, firstSeen: now)
            })
    }

    /// The methods as the configuration has them.
    ///
    /// - Parameter loadedAt: when the configuration was put in force.
    func services(under live: LiveConfiguration, loadedAt: Timestamp) -> ComposedServices {
        let dependencies = dependencies(under: live)
        fleets.follow(live.apps.filter { $0.provisioning?.fleet != nil }.map(\.id))
        let apps = AppDirectory(
            live.apps.map { app in
                let fleet = app.provisioning?.fleet.flatMap { rule in fleets[app.id].map { Fleet(rule, $0) } }
                return AppProfile(
                    app, of: live.schemes, in: dependencies, fleet: fleet, plugins: plugins.supervised, logger: logger)
            })
        registeredApps.value = apps
        facts.follow(apps)
        shadow.follow(apps)
        for app in apps.all {
            let formats = Array(app.verifiers.keys) + (app.fleet == nil ? [] : [.fleetDevice])
            counters.know(app.id, formats: formats.sorted { $0.rawValue < $1.rawValue })
        }
        callerCalls.know(live.callers.known.map(\.caller.name))
        let observed = ObservedVerdicts(PluginObservers(plugins.supervised), hub: hub)
        let authorizer = CallAuthorizer(
            callers: live.callers, apps: apps, keys: keyDirectory, requestLog: requestLog)
        let rates = RateLimits(caller: live.rates.caller, apps: live.appRates, buckets: buckets, counters: counters)
        let pipeline = VerificationPipeline(
            ledger: ledger, keys: keys, subjects: subjects, attempts: attempts, memory: memory, inquiries: inquiries,
            inquiryShare: live.inquiryShare, stages: stages, measures: measures, rates: rates,
            refusals: RefusalMemory(counters: counters), followers: VerdictFollowers(recorder: facts, shadow: shadow),
            revoked: { [revocationLists] in revocationLists.wake() })
        let answering = Answering(
            pipeline: pipeline, rates: rates, clock: clock,
            followers: [counters, requestLog, observed, recorder, TraceNotes()])
        let attestation = AttestationService(
            answering: answering, keys: keys, counters: counters, clock: clock, horizon: horizon)
        let devices = DevicesService(
            ledger: ledger, subjects: subjects, clock: clock, requestLog: requestLog, recordings: facts,
            revoked: { [revocationLists] in revocationLists.wake() })
        let provisioning = ProvisioningService(
            ledger: ledger, authority: authority, lists: revocationListIssuer, answering: answering, clock: clock,
            requestLog: requestLog,
            revoked: { [revocationLists] in revocationLists.wake() })
        let fleetService = FleetService(
            ledger: ledger, authority: authority, answering: answering, clock: clock, requestLog: requestLog,
            revoked: { [revocationLists] in revocationLists.wake() })
        let audit = AuditService(ledger: ledger, clock: clock, requestLog: requestLog)
        let lists = revocationFeeds.map { $0 as any TrustFeed } + live.revocationFiles.map { $0 as any TrustFeed }
        let operations = OperationsService(
            apps: apps, callers: live.callers, rates: rates, ledger: ledger, counters: counters, signer: signer, disk: disk,
            memory: memory,
            facts: OperationsService.Facts(
                version: Version.text, startedAt: startedAt, anchors: live.anchors.map(AnchorFacts.init),
                configurationDigest: live.digest, loadedAt: loadedAt),
            clock: clock, clockReport: { [clockWatch] in clockWatch.report },
            transport: statistics,
            receipts: { [receipts] in receipts.report }, reloadProblem: reloadProblem, feeds: lists, certificates: certificates,
            authorities: { [revocationLists] in revocationLists.report() }, plugins: plugins,
            records: { [recorder] in recorder.status },
            reappraisal: { [reappraisal] in reappraisal.report }, webhooks: webhooks, metrics: metrics)
        let keyService = KeysService(
            ledger: ledger, directory: keyDirectory, rule: live.callers.keys, clock: clock, requestLog: requestLog)
        let feeds = FeedsService(feeds: lists, changes: changes, clock: clock, requestLog: requestLog)
        let methods = ServedMethods(
            attestation.methods + devices.methods + operations.methods + keyService.methods + audit.methods + feeds.methods
                + provisioning.methods + fleetService.methods + PluginsService(plugins, requestLog: requestLog).methods
                + WatchService(hub: hub, tail: changeTail, clock: clock).methods
                + WebhooksService(webhooks, changes: changes, clock: clock, requestLog: requestLog).methods
                + VerdictsService(recorder: recorder, apps: apps, subjects: subjects, ledger: ledger).methods
                + PoliciesService(
                    ledger: ledger, apps: apps, recordings: facts, shadow: shadow, requestLog: requestLog
                ).methods,
            authorizer: authorizer,
            limiter: limiter, counters: calls, tracer: exporter.tracer, callers: callerCalls)
        return ComposedServices(methods: methods, operations: operations)
    }
}

/// The services as one configuration has them: for calls, and for the operations address.
struct ComposedServices: Sendable {
    let methods: ServedMethods
    let operations: OperationsService
}
