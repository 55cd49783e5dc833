import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
import AssayResults
import AssaySimulator
import AssayTesting
import Foundation
import Logging
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayService

/// The services of one daemon over a memory ledger, under a clock that stands still.
struct ServiceHarness: Sendable {
    static let opening = Timestamp(unixSeconds: 1_800_000_000)
    static let vault = SecretVault(key: [UInt8](repeating: 0x5A, count: SecretVault.secretLength))
    /// So many verdicts of a harness are judged again.
    static let replayedVerdicts = 8
    static let payloads = PayloadKeys(secret: [UInt8](repeating: 0x6B, count: SecretVault.secretLength))
    static let uploads = UploadNames(secret: [UInt8](repeating: 0x75, count: SecretVault.secretLength))
    static let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    /// A process on this machine: the demo profile's caller.
    static let loopback = RPCPeer.tcp(address: "127.0.0.1", port: 50_000, isLoopback: true)

    let ledger: WatchedLedger
    let clock: FixedClock
    let keys: ChallengeKeys
    let memory = EvidenceUseLimit()
    let horizon = SpentHorizon()
    let clockWatch: ClockWatch
    let limiter = ConcurrencyLimiter(places: 1)
    let calls = CallCounters()
    let pipeline: VerificationPipeline
    let counters: VerdictCounters
    let reloadProblem = ReloadProblem.Slot()
    let certificates = CertificateEnd.Slot()
    let apps: AppDirectory
    /// The apps whose verdicts are judged again.
    private let replayed: Set<AppID>
    let signer: AuditSigner
    let authority: StandInAuthority
    let lists: RevocationListIssuer
    let revocationLists: RevocationListTask
    /// The lists that were published, in order.
    let published: AsyncStream<StoredRevocationList>
    let records = MemoryVerdictRecordStore()
    let recorder: VerdictRecorder
    let recordings = MemoryRecordingStore()
    let factRecorder: FactRecorder
    let shadow: ShadowJudge
    let hub: WatchHub
    let changeTail: ChangeTail
    let resultKeys: ResultKeyTask
    let statusLists: StatusListPublisher
    let results = ResultCounters()
    let flags = DeviceFlagCounters()
    let reloadable: ReloadableMethods
    let methods: [RPCMethod]
    let access: RPCAccess

    init(
        _ apps: [AppProfile]? = nil, callers: CallerDirectory = CallerDirectory(byUserID: [:], loopback: CallerDirectory.demo),
        ledger: WatchedLedger = WatchedLedger(), clock: FixedClock = FixedClock(Self.opening), disk: DiskSpace? = nil,
        requestLog: RequestLog = .closed, feeds: [any TrustFeed] = [], logger: Logger = Self.logger,
        uptime: @escaping @Sendable () -> Int64 = { 0 }, authority: StandInAuthority = StandInAuthority(),
        plugins: any PluginControl = NoPlugins(), observer: (any VerdictObserver)? = nil,
        recording rule: VerdictRecordRule = VerdictRecordRule(),
        rates: @Sendable (VerdictCounters) -> RateLimits? = { _ in nil }, watching capacity: Int = WatchHub.capacity,
        replaying: Bool = true, followers: [any AnswerFollower] = [], resultKeys: ResultKeyTask.Keys = ResultKeyTask.Keys(),
        places: (any ResultStatusPlaces)? = nil
    ) async throws {
        let counters = VerdictCounters()
        self.counters = counters
        let rates = rates(counters)

        self.ledger = ledger
        self.clock = clock
        hub = WatchHub(clock: clock, capacity: capacity)
        changeTail = ChangeTail(ledger: ledger, hub: hub, clock: clock, logger: Self.logger)
        let profiles = try apps ?? [.testing(.camera), .testing(.notes)]
        // Verdicts are recorded also of apps that record nothing, so that each can be judged again.
        replayed = Set(profiles.filter { replaying && !$0.isFollowed }.map(\.id))
        self.apps = AppDirectory(
            profiles.map { [replayed] in replayed.contains($0.id) ? $0.followed(recording: .withEvidence) : $0 })
        keys = try await ChallengeKeys(ledger: ledger, vault: Self.vault, clock: clock, logger: Self.logger)
        let subjects = try await SubjectKey(ledger: ledger, vault: Self.vault, clock: clock)
        recorder = VerdictRecorder(records, rule, subjects: subjects, clock: clock)
        factRecorder = FactRecorder(recordings, vault: Self.vault, clock: clock)
        shadow = ShadowJudge(clock: clock)
        factRecorder.follow(self.apps)
        shadow.follow(self.apps)
        let directory = KeyDirectory(try await ledger.callerKeys(), clock: clock)
        let authorizer = CallAuthorizer(callers: callers, apps: self.apps, keys: directory, requestLog: requestLog)
        signer = try await AuditSigner(ledger: ledger, vault: Self.vault, clock: clock)
        let facts = OperationsService.Facts(
            version: "1.2.3", startedAt: Self.opening,
            anchors: [AnchorFacts(name: "Root", publisher: "us", spkiSHA256: [1], certificateSHA256: [], simulated: true)],
            configurationDigest: [0xC0], loadedAt: Self.opening)
        self.authority = authority
        lists = RevocationListIssuer(
            ledger: ledger, authority: authority, rule: RevocationListRule(), clock: clock, logger: logger)
        let (published, publish) = AsyncStream.makeStream(of: StoredRevocationList.self)
        self.published = published
        let revocationLists = RevocationListTask(
            issuer: lists, authority: authority, publish: { _, list in publish.yield(list) }, pause: .zero, clock: clock,
            logger: logger)
        self.revocationLists = revocationLists
        pipeline = VerificationPipeline(
            ledger: ledger, keys: keys, subjects: subjects, attempts: ChallengeAttempts(), memory: memory,
            rates: rates, refusals: RefusalMemory(counters: counters), lookups: Self.payloads,
            followers: VerdictFollowers(recorder: factRecorder, shadow: shadow), revoked: { revocationLists.wake() })
        let clockWatch = ClockWatch(
            ledger: ledger, clock: SettledClock(clock, uptime: uptime), horizon: horizon, memory: nil, logger: logger)
        self.clockWatch = clockWatch
        let signs = !resultKeys.own.isEmpty
        let resultKeys = ResultKeyTask(resultKeys, ledger: ledger, clock: clock, logger: logger)
        self.resultKeys = resultKeys
        if signs { try await resultKeys.refresh(by: .start) }
        let statusLists = StatusListPublisher(
            ledger: ledger, keys: resultKeys.ring,
            permutations: StatusListPermutations(secret: [UInt8](repeating: 0x17, count: 32)), rule: StatusListRule(),
            clock: clock, logger: Self.logger)
        self.statusLists = statusLists
        let resultSigner = ResultSigner(keys: resultKeys.ring, places: places, counters: results, clock: clock)
        let admission = ResultAdmission(keys: resultKeys.ring, clock: clock)
        let signing = ResultSigning(signer: resultSigner, devices: ledger, requestLog: requestLog)
        let answering = Answering(
            pipeline: pipeline, rates: rates, clock: clock,
            followers: [
                counters, requestLog, ObservedVerdicts(observer, hub: hub, subjects: subjects), recorder, signing, TraceNotes(),
            ] + followers
        )
        let bodies =
            AttestationService(
                answering: answering, keys: keys, counters: counters, clock: clock, horizon: horizon,
                results: admission, uploads: UploadBinding(ledger: ledger)
            ).methods
            + UploadsService(ledger: ledger, names: Self.uploads, answering: answering, clock: clock).methods
            + ResultsService(
                keys: resultKeys.ring, ledger: ledger, clock: clock, requestLog: requestLog,
                refresh: { () throws(LedgerError) in try await resultKeys.refresh(by: .signal) }
            ).methods
            + StatusListService(publisher: statusLists).methods
            + DevicesService(
                ledger: ledger, subjects: subjects, clock: clock, requestLog: requestLog, recordings: factRecorder,
                flags: flags, revoked: { revocationLists.wake() }
            ).methods
            + FeedsService(
                feeds: feeds, changes: ChangeRecorder(ledger: ledger, logger: Self.logger), clock: clock,
                requestLog: requestLog
            ).methods
            + AuditService(ledger: ledger, clock: clock, requestLog: requestLog).methods
            + ProvisioningService(
                ledger: ledger, authority: authority, lists: lists, answering: answering, clock: clock,
                requestLog: requestLog,
                revoked: { revocationLists.wake() }
            ).methods
            + PluginsService(plugins, requestLog: requestLog).methods
            + KeysService(ledger: ledger, directory: directory, rule: callers.keys, clock: clock, requestLog: requestLog)
            .methods
            + FleetService(
                ledger: ledger, authority: authority, answering: answering, clock: clock, requestLog: requestLog,
                revoked: {}
            ).methods
            + WebhooksService(
                NoWebhooks(), changes: ChangeRecorder(ledger: ledger, logger: Self.logger), clock: clock, requestLog: requestLog
            ).methods
            + WatchService(hub: hub, tail: changeTail, clock: clock).methods
            + VerdictsService(recorder: recorder, apps: self.apps, subjects: subjects, ledger: ledger).methods
            + LookupService(
                lookup: VerdictLookup(ledger: ledger, keys: Self.payloads), answering: answering, clock: clock,
                counters: counters, signing: LookupSigning(admission: admission, signer: resultSigner)
            ).methods
            + PoliciesService(
                ledger: ledger, apps: self.apps, recordings: factRecorder, shadow: shadow, requestLog: requestLog
            ).methods
            + OperationsService(
                apps: self.apps, callers: callers, rates: rates, ledger: ledger, counters: counters, signer: signer,
                disk: DiskWatch(rule: DiskSpaceRule(), logger: Self.logger) { disk }, memory: memory, facts: facts,
                clock: clock, clockReport: { clockWatch.report },
                transport: { RPCStatistics() },
                receipts: {
                    ReceiptReport(
                        due: 7, exchanged: 5, failed: 3, ended: 2, problem: .init(at: Self.opening, text: "no answer"))
                }, reloadProblem: reloadProblem, feeds: feeds, certificates: certificates, plugins: plugins,
                records: { [recorder] in recorder.status }
            ).methods
        let served = ServedMethods(bodies, authorizer: authorizer, limiter: limiter, counters: calls)
        reloadable = ReloadableMethods(served)
        (methods, access) = (reloadable.methods, reloadable.access)
    }

    // MARK: Calls

    /// Calls a method as the transport does. `nil`: there is no answer.
    func ask(
        _ path: String, _ message: [UInt8], peer: RPCPeer = loopback, timeout: Duration? = nil
    ) async throws -> Result<[UInt8], RPCError>? {
        let method = try #require(methods.first { $0.path == path }, "\(path) is not served")
        let answer = AnswerSlot()
        let call = RPCCall(method: path, message: message, peer: peer, timeout: timeout) { answer.put($0) }
        switch method.handler {
        case .batch(let work): await work([call])
        case .unary(let work):
            do throws(RPCError) { call.reply(try await work(call)) } catch { call.fail(error) }
        case .stream(let work):
            // The caller leaves at the first message.
            let writer = RPCStreamWriter { message throws(RPCError) in
                answer.put(.success(message))
                throw .cancelled
            }
            do throws(RPCError) { try await work(call, writer) } catch { if answer.value == nil { call.fail(error) } }
        }
        return answer.value
    }

    func call<Method: APIMethod>(
        _ method: Method, _ request: Method.Request, peer: RPCPeer = loopback
    ) async throws -> Method.Response {
        let bytes: [UInt8] = try request.serializedBytes()
        let answer = try #require(try await ask(method.path, bytes, peer: peer), "there is no answer")
        return try Method.Response(serializedBytes: try answer.get())
    }

    /// A challenge from the service.
    func challenge(
        _ purpose: Purpose, app: AppID = .camera, context: [UInt8] = [], milliseconds: UInt32 = 0, peer: RPCPeer = loopback
    ) async throws -> [UInt8] {
        let response: Assay_V1_IssueChallengeResponse = try await call(
            API.issueChallenge,
            Assay_V1_IssueChallengeRequest.with {
                $0.app = app.text
                $0.purpose = purpose.message
                $0.context = Data(context)
                $0.ttlMs = milliseconds
            }, peer: peer)
        return Array(response.challenge)
    }

    func verify(_ request: VerificationRequest, peer: RPCPeer = loopback) async throws -> Assay_V1_Verdict {
        guard replayed.contains(request.app) else { return try await call(API.verify, request.message, peer: peer) }
        let (known, remembered) = (try await recordings.all().count, counters.counts.refusalsRemembered)
        let verdict = try await call(API.verify, request.message, peer: peer)
        // A verdict that is given again was checked when it was given first. Of many verdicts the first ones are enough.
        guard counters.counts.refusalsRemembered == remembered, known < Self.replayedVerdicts else { return verdict }
        for content in try await recordings.all().dropFirst(known) { try checkReplay(of: content, request) }
        return verdict
    }

    /// The RPC error that a request comes to.
    func failure(_ request: VerificationRequest, peer: RPCPeer = loopback) async throws -> RPCError? {
        do {
            _ = try await verify(request, peer: peer)
            return nil
        } catch let error as RPCError {
            return error
        }
    }

    // MARK: Shortcuts

    /// A phone that is registered.
    func enrol(_ app: AppID = .camera, subject: [UInt8] = []) async throws -> (handset: Handset, device: DeviceID) {
        let handset = Handset(app: app)
        var request = try handset.registration(try await challenge(.register, app: app), at: clock.now())
        request.subject = subject
        let verdict = try await verify(request)
        try #require(verdict.isAccepted, "\(verdict.reason)")
        return (handset, try #require(DeviceID(bytes: Array(verdict.deviceID))))
    }

    /// An assertion over a fresh challenge.
    func assert(_ handset: inout Handset, changes: AssertionChanges = .genuine) async throws -> Assay_V1_Verdict {
        try await verify(try handset.assertion(try await challenge(.assert, app: handset.app), changes: changes))
    }

    /// An authorised request, also one that the API's wire format does not allow.
    func admitted(
        _ request: VerificationRequest, isAbandoned: @escaping @Sendable () -> Bool = { false }
    ) throws -> AuthorizedRequest {
        AuthorizedRequest(
            request: request, profile: try #require(apps[request.app]), caller: .demo, now: clock.now(),
            requestID: SecureRandom.bytes(16), isAbandoned: isAbandoned)
    }
}

private final class AnswerSlot: Sendable {
    private let state = Mutex<Result<[UInt8], RPCError>?>(nil)
    var value: Result<[UInt8], RPCError>? { state.withLock { $0 } }
    func put(_ answer: Result<[UInt8], RPCError>) { state.withLock { $0 = answer } }
}

extension Caller {
    static var demo: Caller { CallerDirectory.demo }
}

extension AppProfile {
    /// An app that trusts the tests' authority.
    static func testing(
        _ id: AppID, challenges: ChallengeRule = ChallengeRule(), binding: BindingRule = BindingRule(),
        policy: AppAttestPolicy = AppAttestPolicy(), formats: Set<EvidenceFormat>? = nil,
        identities: [AppAttestIdentity] = [AppAttestIdentity(appID: Handset.appID, platform: .iOS)],
        anchors: [TrustAnchor]? = nil, devicesPerSubject: UInt32? = nil,
        replacement: ReplacementRule = .ofSubject, keepsAuditClaims: Bool = false,
        acceptsSimulated: Bool = true, confidence: ConfidenceRule? = nil, issuing: IssuingRule? = IssuingRule(),
        fleet: Fleet? = nil, policyKeys: PolicyKeys = PolicyKeys(), lookup: LookupRule? = nil,
        policyDigest: [UInt8] = [UInt8](repeating: 0xD1, count: 32), results: ResultComposer? = nil,
        uploads: UploadRule? = nil, deviceFlags: DeviceFlagRule = DeviceFlagRule(),
        enforcement: EnforcementRule = EnforcementRule()
    ) throws -> AppProfile {
        let anchors = try anchors ?? [TrustAnchor(name: "test root", pem: Handset.authority.rootPEM, simulated: true)]
        let verifiers: [any EvidenceVerifier] = [
            AppAttestAttestationVerifier(
                identities: identities, anchors: anchors, receiptAnchors: anchors, policy: policy, links: LinkCache()),
            AppAttestAssertionVerifier(identities: identities, anchors: anchors, policy: policy),
        ]
        return AppProfile(
            id: id, verifiers: verifiers.filter { formats?.contains($0.format) ?? true },
            deviceAppraisers: [AppAttestDeviceAppraiser(identities: identities, anchors: anchors, policy: policy)],
            discontinuedFormats: [.safetyNet],
            challenges: challenges,
            binding: binding, devicesPerSubject: devicesPerSubject, replacement: replacement, policyDigest: policyDigest,
            keepsAuditClaims: keepsAuditClaims, acceptsSimulated: acceptsSimulated, confidence: confidence,
            issuing: issuing, fleet: fleet, policyKeys: policyKeys, lookup: lookup, results: results,
            uploads: uploads, deviceFlags: deviceFlags, enforcement: enforcement)
    }
}

extension Assay_V1_Verdict {
    var isAccepted: Bool { decision == .accepted }
    /// Why it was rejected; `nil` if it was accepted.
    var rejection: ReasonCode? { decision == .rejected ? ReasonCode(rawValue: reason) : nil }
}

extension Answer {
    var isAccepted: Bool { if case .accepted? = verdict?.decision { true } else { false } }
    var rejection: ReasonCode? {
        if case .rejected(let rejection, _)? = verdict?.decision { rejection.code.builtIn } else { nil }
    }
}
