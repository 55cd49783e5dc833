import AssayAPI
import AssayConfiguration
import AssayCore
import AssayService
import AssayTraceExport
import AssayVendors

/// The services as one configuration has them: for calls, and for the operations address.
struct ComposedServices: Sendable {
    let methods: ServedMethods
    let operations: OperationsService
}

/// Composes the services of one configuration over what the parts keep.
struct ServiceComposition {
    private let parts: DaemonParts
    private let kept: KeptByMethods
    private let live: LiveConfiguration
    private let loadedAt: Timestamp
    private let apps: AppDirectory
    private let rates: RateLimits?
    private let answering: Answering
    /// The fetched revocation lists, then those of files.
    private let lists: [any TrustFeed]

    /// Tells the parts that follow the apps and the callers of them.
    ///
    /// - Parameter loadedAt: when the configuration was put in force.
    init(_ parts: DaemonParts, _ kept: KeptByMethods, _ live: LiveConfiguration, loadedAt: Timestamp) {
        (self.parts, self.kept, self.live, self.loadedAt) = (parts, kept, live, loadedAt)
        apps = parts.apps(under: live)
        kept.counters.know(apps)
        parts.callers.calls.know(live.callers.known.map(\.caller.name))
        rates = RateLimits(
            caller: live.rates.caller, apps: live.appRates, buckets: parts.rates.buckets, counters: kept.counters)
        answering = Self.answering(parts, kept, live, rates)
        lists = parts.vendors.feeds.map { $0 as any TrustFeed } + live.revocationFiles.map { $0 as any TrustFeed }
    }

    private static func answering(
        _ parts: DaemonParts, _ kept: KeptByMethods, _ live: LiveConfiguration, _ rates: RateLimits?
    ) -> Answering {
        let (base, store, records) = (parts.base, parts.store, parts.records)
        let observed = ObservedVerdicts(
            PluginObservers(parts.plugins.supervised), hub: parts.watching.hub, subjects: store.subjects)
        let pipeline = VerificationPipeline(
            ledger: base.ledger, keys: store.keys, subjects: store.subjects, attempts: kept.attempts, memory: store.useLimit,
            inquiries: parts.vendors.inquiries, inquiryShare: live.inquiryShare, stages: kept.stages, measures: kept.measures,
            rates: rates, refusals: RefusalMemory(counters: kept.counters), lookups: store.payloads,
            followers: VerdictFollowers(recorder: records.facts, shadow: records.shadow), revoked: parts.authorities.revoked)
        return Answering(
            pipeline: pipeline, rates: rates, clock: base.clock,
            followers: [
                kept.counters, kept.requestLog, observed, records.recorder,
                // Behind those that say what was decided, which rests on no signature.
                ResultSigning(signer: signer(parts, kept), devices: base.ledger, requestLog: kept.requestLog), TraceNotes(),
            ])
    }

    private static func signer(_ parts: DaemonParts, _ kept: KeptByMethods) -> ResultSigner {
        ResultSigner(
            keys: parts.results.keys, places: parts.statusLists.places, sessions: kept.sessions, counters: kept.results,
            clock: parts.base.clock)
    }

    var services: ComposedServices {
        let operations = operationsService
        let bodies =
            verdictMethods + operations.methods + administrationMethods + certificateMethods + eventMethods + recordMethods
            + resultMethods
        return ComposedServices(
            methods: ServedMethods(
                bodies,
                authorizer: CallAuthorizer(
                    callers: live.callers, apps: apps, keys: parts.callers.keys, requestLog: kept.requestLog),
                limiter: kept.limiter, counters: kept.calls, tracer: parts.traces.exporter.tracer, callers: parts.callers.calls),
            operations: operations)
    }

    private var operationsService: OperationsService {
        let (base, store) = (parts.base, parts.store)
        return OperationsService(
            apps: apps, callers: live.callers, rates: rates, ledger: base.ledger, counters: kept.counters, signer: store.signer,
            disk: store.disk, memory: store.useLimit,
            facts: OperationsService.Facts(
                version: Version.text, startedAt: base.startedAt, anchors: live.anchors.map(AnchorFacts.init),
                configurationDigest: live.digest, loadedAt: loadedAt),
            clock: base.clock, clockReport: { [watch = parts.time.watch] in watch.report },
            transport: parts.listening.statistics, receipts: { [receipts = parts.vendors.receipts] in receipts.report },
            reloadProblem: base.reloadProblem, feeds: lists, certificates: parts.listening.certificates,
            authorities: { [lists = parts.authorities.lists] in lists.report() }, plugins: parts.plugins.administration,
            records: { [recorder = parts.records.recorder] in recorder.status },
            reappraisal: { [reappraisal = parts.watching.reappraisal] in reappraisal.report },
            webhooks: parts.watching.webhooks,
            resultIssuers: { [task = parts.results.task] in task.signingStates(at: $0) },
            statusLists: { [publisher = parts.statusLists.publisher] in publisher.report }, metrics: kept.metrics)
    }

    /// Challenges and verdicts, and the devices that they are about.
    private var verdictMethods: [MethodBody] {
        let (base, store) = (parts.base, parts.store)
        let attestation = AttestationService(
            answering: answering, keys: store.keys, counters: kept.counters, clock: base.clock, horizon: parts.time.horizon,
            results: ResultAdmission(keys: parts.results.keys, clock: base.clock),
            uploads: UploadBinding(ledger: base.ledger))
        let uploads = UploadsService(
            ledger: base.ledger, names: store.uploads, answering: answering, clock: base.clock)
        let devices = DevicesService(
            ledger: base.ledger, subjects: store.subjects, clock: base.clock, requestLog: kept.requestLog,
            recordings: parts.records.facts, flags: store.flags, revoked: parts.authorities.revoked)
        return attestation.methods + uploads.methods + devices.methods
    }

    /// API keys, the audit log, lists from vendors, and plugins.
    private var administrationMethods: [MethodBody] {
        let (base, requestLog) = (parts.base, kept.requestLog)
        let keys = KeysService(
            ledger: base.ledger, directory: parts.callers.keys, rule: live.callers.keys, clock: base.clock,
            requestLog: requestLog)
        let audit = AuditService(ledger: base.ledger, clock: base.clock, requestLog: requestLog)
        let feeds = FeedsService(feeds: lists, changes: parts.store.changes, clock: base.clock, requestLog: requestLog)
        return keys.methods + audit.methods + feeds.methods
            + PluginsService(parts.plugins.administration, requestLog: requestLog).methods
    }

    /// Certificates of devices, and fleets.
    private var certificateMethods: [MethodBody] {
        let (base, authorities) = (parts.base, parts.authorities)
        let provisioning = ProvisioningService(
            ledger: base.ledger, authority: authorities.authority, lists: authorities.issuer, answering: answering,
            clock: base.clock, requestLog: kept.requestLog, revoked: authorities.revoked)
        let fleet = FleetService(
            ledger: base.ledger, authority: authorities.authority, answering: answering, clock: base.clock,
            requestLog: kept.requestLog, revoked: authorities.revoked)
        return provisioning.methods + fleet.methods
    }

    /// The keys under which results are signed.
    private var resultMethods: [MethodBody] {
        let (base, task) = (parts.base, parts.results.task)
        return ResultsService(
            keys: task.ring, ledger: base.ledger, clock: base.clock, requestLog: kept.requestLog,
            refresh: { () throws(LedgerError) in try await task.refresh(by: .signal) }
        ).methods + StatusListService(publisher: parts.statusLists.publisher).methods
    }

    private var eventMethods: [MethodBody] {
        let watching = parts.watching
        return WatchService(hub: watching.hub, tail: watching.changeTail, clock: parts.base.clock).methods
            + WebhooksService(
                watching.webhooks, changes: parts.store.changes, clock: parts.base.clock, requestLog: kept.requestLog
            ).methods
    }

    /// Records of verdicts, and policies that are tried on what was recorded.
    private var recordMethods: [MethodBody] {
        let (ledger, records) = (parts.base.ledger, parts.records)
        let lookup = LookupService(
            lookup: VerdictLookup(ledger: ledger, keys: parts.store.payloads), answering: answering, clock: parts.base.clock,
            counters: kept.counters,
            signing: LookupSigning(
                admission: ResultAdmission(keys: parts.results.keys, clock: parts.base.clock),
                signer: Self.signer(parts, kept)))
        return VerdictsService(
            recorder: records.recorder, apps: apps, subjects: parts.store.subjects, ledger: ledger
        ).methods + lookup.methods
            + PoliciesService(
                ledger: ledger, apps: apps, recordings: records.facts, shadow: records.shadow, requestLog: kept.requestLog
            ).methods
    }
}

extension VerdictCounters {
    /// Gives each app and each of its formats series from the start.
    fileprivate func know(_ apps: AppDirectory) {
        for app in apps.all {
            let formats = Array(app.verifiers.keys) + (app.fleet == nil ? [] : [.fleetDevice])
            know(app.id, formats: formats.sorted { $0.rawValue < $1.rawValue }, hasLookups: app.lookup != nil)
        }
    }
}
