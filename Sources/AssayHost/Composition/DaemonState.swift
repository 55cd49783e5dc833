import AssayCertificates
import AssayCore
import AssayRPC
import AssayService
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
    let attestationStatus: RevocationFeed
    let changes: ChangeRecorder
    /// The counts of calls and of the fronts' connections.
    let statistics: @Sendable () -> RPCStatistics
    let certificates: CertificateEnd.Slot
    let logger: Logger
    let links = LinkCache()
    let attempts = ChallengeAttempts()
    let memory = EvidenceUseLimit()
    /// For the methods that take turns, all callers together: one place for four processors, so that verdicts keep the others.
    let limiter = ConcurrencyLimiter(places: ProcessInfo.processInfo.activeProcessorCount / 4)
    let inquiries = OutsideInquiries()
    let counters = VerdictCounters()
    let calls = CallCounters()
    let reloadProblem = ReloadProblem.Slot()

    /// How receipts are exchanged, as the configuration has it.
    func routes(under configuration: Configuration) -> [ReceiptExchangeRoute] {
        apple(under: configuration).routes(of: configuration.apps, testRoots: configuration.testRoots, links: links)
    }

    private func apple(under configuration: Configuration) -> AppleServices {
        AppleServices(configuration.apple, client: client, clock: clock, logger: logger)
    }

    /// The methods as the configuration has them.
    func methods(under configuration: Configuration) -> ServedMethods {
        let share = configuration.inquiryShare
        let surroundings = SchemeDependencies(
            testRoots: configuration.testRoots, links: links, attestationStatus: attestationStatus,
            apple: apple(under: configuration),
            google: GoogleServices(
                configuration.google, client: client, callLimit: share.questions, clock: clock, logger: logger))
        let apps = AppDirectory(configuration.apps.map { AppProfile($0, in: surroundings) })
        let authorizer = CallAuthorizer(callers: configuration.callers, apps: apps, requestLog: requestLog)
        let pipeline = VerificationPipeline(
            ledger: ledger, keys: keys, subjects: subjects, attempts: attempts, memory: memory, inquiries: inquiries,
            inquiryShare: share)
        let attestation = AttestationService(
            pipeline: pipeline, keys: keys, counters: counters, clock: clock, requestLog: requestLog, horizon: horizon)
        let devices = DevicesService(ledger: ledger, subjects: subjects, clock: clock, requestLog: requestLog)
        let audit = AuditService(ledger: ledger, clock: clock, requestLog: requestLog)
        let lists: [any TrustFeed] = [attestationStatus] + configuration.revocationFiles
        let operations = OperationsService(
            apps: apps, ledger: ledger, counters: counters, signer: signer, disk: disk, memory: memory,
            facts: OperationsService.Facts(
                version: Version.text, startedAt: startedAt, anchors: configuration.anchors.map(AnchorFacts.init),
                configurationDigest: configuration.digest, loadedAt: clock.now()),
            clock: clock, clockReport: { [clockWatch] in clockWatch.report },
            transport: statistics,
            receipts: { [receipts] in receipts.report }, reloadProblem: reloadProblem, feeds: lists, certificates: certificates)
        let feeds = FeedsService(feeds: lists, changes: changes, clock: clock, requestLog: requestLog)
        return ServedMethods(
            attestation.methods + devices.methods + operations.methods + audit.methods + feeds.methods, authorizer: authorizer,
            limiter: limiter, counters: calls)
    }
}
