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
    /// Long readings of all callers together: one for four processors, as what they slow down is what the daemon is for.
    let limiter = ConcurrencyLimiter(places: ProcessInfo.processInfo.activeProcessorCount / 4)
    let vendors = VendorInquiries()
    let counters = VerdictCounters()
    let reloadProblem = ReloadProblem.Slot()

    /// How receipts are exchanged, as the configuration has it.
    func routes(under configuration: Configuration) -> [ReceiptExchangeRoute] {
        apple(under: configuration).routes(of: configuration.apps, testRoots: configuration.testRoots, links: links)
    }

    private func apple(under configuration: Configuration) -> AppleServices {
        AppleServices(configuration.apple, client: client, clock: clock, logger: logger)
    }

    /// The services as the configuration has them.
    func services(under configuration: Configuration) -> ServiceSet {
        let share = configuration.vendorShare
        let surroundings = SchemeDependencies(
            testRoots: configuration.testRoots, links: links, attestationStatus: attestationStatus,
            apple: apple(under: configuration),
            google: GoogleServices(
                configuration.google, client: client, callLimit: share.questions, clock: clock, logger: logger))
        let apps = AppDirectory(configuration.apps.map { AppProfile($0, in: surroundings) })
        let authorizer = CallAuthorizer(callers: configuration.callers, apps: apps, requestLog: requestLog)
        let pipeline = VerificationPipeline(
            ledger: ledger, keys: keys, subjects: subjects, attempts: attempts, memory: memory, vendors: vendors,
            vendorShare: share)
        let attestation = AttestationService(
            authorizer: authorizer, pipeline: pipeline, keys: keys, counters: counters, clock: clock, requestLog: requestLog,
            horizon: horizon)
        let devices = DevicesService(
            authorizer: authorizer, ledger: ledger, subjects: subjects, clock: clock, limiter: limiter)
        let audit = AuditService(authorizer: authorizer, ledger: ledger, clock: clock, limiter: limiter)
        let lists: [any TrustFeed] = [attestationStatus] + configuration.revocationFiles
        let operations = OperationsService(
            authorizer: authorizer, apps: apps, ledger: ledger, counters: counters, signer: signer, disk: disk, memory: memory,
            facts: OperationsService.Facts(
                version: Version.text, startedAt: startedAt, anchors: configuration.anchors.map(AnchorFacts.init),
                configurationDigest: configuration.digest, loadedAt: clock.now()),
            clock: clock, clockReport: { [clockWatch] in clockWatch.report },
            transport: statistics,
            receipts: { [receipts] in receipts.report }, reloadProblem: reloadProblem, feeds: lists, certificates: certificates)
        let feeds = FeedsService(authorizer: authorizer, feeds: lists, changes: changes, clock: clock)
        return ServiceSet(
            attestation.methods + devices.methods + operations.methods + audit.methods + feeds.methods, behind: authorizer)
    }
}
