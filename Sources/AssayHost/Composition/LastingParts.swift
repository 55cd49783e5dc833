import AssayCertificates
import AssayCore
import AssayFeeds
import AssayRPC
import AssayService
import Foundation
import Logging

/// What a daemon keeps whatever its configuration says: what remembers, what counts, and what keeps time.
struct LastingParts: Sendable {
    let ledger: any Ledger
    let keys: ChallengeKeys
    let subjects: SubjectKey
    let signer: AuditSigner
    let disk: DiskWatch
    let clock: any WallClock
    let clockWatch: ClockWatch
    let horizon: SpentHorizon
    let startedAt: Timestamp
    let journal: RequestJournal
    let client: VendorClient
    let receipts: ReceiptExchanger
    let attestationStatus: RevocationFeed
    let changes: ChangeRecorder
    let logger: Logger
    let links = LinkCache()
    let attempts = ChallengeAttempts()
    let memory = EvidenceMemory()
    /// Long readings of all callers together: one for four processors, as what they slow down is what the daemon is for.
    let turnstile = Turnstile(places: ProcessInfo.processInfo.activeProcessorCount / 4)
    let vendors = VendorDesk()
    let traffic = Traffic()
    let transport = Transport()
    let reloadProblem = ReloadProblem.Slot()
    let certificates = CertificateEnd.Slot()

    /// How receipts are exchanged, as the configuration has it.
    func lanes(under configuration: Configuration) -> [ReceiptLane] {
        apple(under: configuration).lanes(of: configuration.apps, testRoots: configuration.testRoots, links: links)
    }

    private func apple(under configuration: Configuration) -> AppleServices {
        AppleServices(configuration.apple, client: client, clock: clock, logger: logger)
    }

    /// The services as the configuration has them.
    func services(under configuration: Configuration) -> ServiceSet {
        let share = configuration.vendorShare
        let surroundings = AppSurroundings(
            testRoots: configuration.testRoots, links: links, attestationStatus: attestationStatus,
            apple: apple(under: configuration),
            google: GoogleServices(
                configuration.google, client: client, callLimit: share.questions, clock: clock, logger: logger))
        let apps = AppDirectory(configuration.apps.map { AppProfile($0, in: surroundings) })
        let gatekeeper = Gatekeeper(callers: configuration.callers, apps: apps, journal: journal)
        let pipeline = VerificationPipeline(
            ledger: ledger, keys: keys, subjects: subjects, attempts: attempts, memory: memory, vendors: vendors,
            vendorShare: share)
        let attestation = AttestationService(
            gatekeeper: gatekeeper, pipeline: pipeline, keys: keys, traffic: traffic, clock: clock, journal: journal,
            horizon: horizon)
        let devices = DevicesService(
            gatekeeper: gatekeeper, ledger: ledger, subjects: subjects, clock: clock, turnstile: turnstile)
        let audit = AuditService(gatekeeper: gatekeeper, ledger: ledger, clock: clock, turnstile: turnstile)
        let lists: [any TrustFeed] = [attestationStatus] + configuration.revocationFiles
        let operations = OperationsService(
            gatekeeper: gatekeeper, apps: apps, ledger: ledger, traffic: traffic, signer: signer, disk: disk, memory: memory,
            facts: OperationsService.Facts(
                version: Version.text, startedAt: startedAt, anchors: configuration.anchors.map(AnchorFacts.init),
                configurationDigest: configuration.digest, loadedAt: clock.now()),
            clock: clock, clockReport: { [clockWatch] in clockWatch.report },
            transport: { [transport] in transport.statistics },
            receipts: { [receipts] in receipts.report }, reloadProblem: reloadProblem, feeds: lists, certificates: certificates)
        let feeds = FeedsService(gatekeeper: gatekeeper, feeds: lists, changes: changes, clock: clock)
        return ServiceSet(
            attestation.methods + devices.methods + operations.methods + audit.methods + feeds.methods, behind: gatekeeper)
    }
}
