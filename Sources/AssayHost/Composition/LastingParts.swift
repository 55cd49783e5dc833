import AssayCertificates
import AssayCore
import AssayRPC
import AssayService

/// What a daemon keeps whatever its configuration says: what remembers, what counts, and what keeps time.
struct LastingParts: Sendable {
    let ledger: any Ledger
    let keys: ChallengeKeys
    let subjects: SubjectKey
    let signer: AuditSigner
    let disk: DiskWatch
    let clock: any WallClock
    let startedAt: Timestamp
    let journal: RequestJournal
    let links = LinkCache()
    let attempts = ChallengeAttempts()
    let vendors = VendorDesk()
    let traffic = Traffic()
    let transport = Transport()
    let reloadProblem = ReloadProblem.Slot()

    /// The services as the configuration has them.
    func services(under configuration: Configuration) -> ServiceSet {
        let apps = AppDirectory(configuration.apps.map { AppProfile($0, testRoots: configuration.testRoots, links: links) })
        let gatekeeper = Gatekeeper(callers: configuration.callers, apps: apps)
        let pipeline = VerificationPipeline(
            ledger: ledger, keys: keys, subjects: subjects, attempts: attempts, vendors: vendors)
        let attestation = AttestationService(
            gatekeeper: gatekeeper, pipeline: pipeline, keys: keys, traffic: traffic, clock: clock, journal: journal)
        let devices = DevicesService(gatekeeper: gatekeeper, ledger: ledger, subjects: subjects, clock: clock)
        let audit = AuditService(gatekeeper: gatekeeper, ledger: ledger)
        let operations = OperationsService(
            gatekeeper: gatekeeper, apps: apps, ledger: ledger, traffic: traffic, signer: signer, disk: disk,
            facts: OperationsService.Facts(
                version: Version.text, startedAt: startedAt, anchors: configuration.anchors.map(AnchorFacts.init),
                configurationDigest: configuration.digest, loadedAt: clock.now()),
            clock: clock, transport: { [transport] in transport.statistics }, reloadProblem: reloadProblem)
        return ServiceSet(attestation.methods + devices.methods + operations.methods + audit.methods)
    }
}
