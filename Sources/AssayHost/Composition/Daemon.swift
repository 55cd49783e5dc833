import AssayCertificates
package import AssayCore
package import AssayRPC
package import AssayService
import Foundation
package import Logging
package import ServiceLifecycle

/// The daemon, composed and ready to run.
package struct Daemon: Sendable {
    package let server: RPCServer
    package let housekeeping: Housekeeping
    package let traffic: Traffic
    private let tls: DaemonTLS?

    init(server: RPCServer, housekeeping: Housekeeping, traffic: Traffic, tls: DaemonTLS?) {
        (self.server, self.housekeeping, self.traffic, self.tls) = (server, housekeeping, traffic, tls)
    }

    /// What runs until the daemon stops, in the order of starting; stopped in the opposite order.
    package var services: [any Service] { [housekeeping, server] }

    /// Listens, and tells where: what was asked for, with the ports that the system chose.
    package func start() async throws -> [RPCAddress] { try await server.start() }

    /// Reads the certificates again, for connections made from now on. See ``DaemonTLS/reload()``.
    package func reloadTLS() { tls?.reload() }
}

/// Composes the daemon of a configuration over a ledger. The mains and the tests call the same function.
///
/// Throws a `StartupError`, or what the ledger or the vault says, if the secrets of the ledger cannot be read.
package func makeDaemon(
    _ configuration: Configuration, ledger: any Ledger, vault: SecretVault, clock: any WallClock = SystemClock(),
    logger: Logger
) async throws -> Daemon {
    let keys = try await ChallengeKeys(ledger: ledger, vault: vault, clock: clock, logger: logger)
    let subjects = try await SubjectKey(ledger: ledger, vault: vault, clock: clock)
    let links = LinkCache()
    let apps = AppDirectory(configuration.apps.map { AppProfile($0, testRoots: configuration.testRoots, links: links) })
    let gatekeeper = Gatekeeper(callers: configuration.callers, apps: apps)
    let traffic = Traffic()
    let pipeline = VerificationPipeline(ledger: ledger, keys: keys, subjects: subjects, attempts: ChallengeAttempts())
    let transport = Transport()
    let attestation = AttestationService(
        gatekeeper: gatekeeper, pipeline: pipeline, keys: keys, traffic: traffic, clock: clock)
    let devices = DevicesService(gatekeeper: gatekeeper, ledger: ledger, subjects: subjects, clock: clock)
    let audit = AuditService(gatekeeper: gatekeeper, ledger: ledger)
    let signer = try await AuditSigner(ledger: ledger, vault: vault, clock: clock)
    let disk = DiskWatch(rule: configuration.store.disk, logger: logger) { [path = configuration.store.path] in
        DiskSpace(holding: path)
    }
    let operations = OperationsService(
        gatekeeper: gatekeeper, apps: apps, ledger: ledger, traffic: traffic, signer: signer, disk: disk,
        facts: OperationsService.Facts(
            version: Version.text, startedAt: clock.now(), anchors: configuration.anchors.map(AnchorFacts.init)),
        clock: clock, transport: { transport.statistics })
    // Event loops only move bytes. One for four processors keeps up with the workers, and what waits while it works comes
    // in one read and leaves in one write.
    let tls = try configuration.tls.map { try DaemonTLS($0, clock: clock, logger: logger) }
    let eventLoops = max(1, ProcessInfo.processInfo.activeProcessorCount / 4)
    let server = RPCServer(
        addresses: configuration.listen, limits: configuration.limits,
        methods: attestation.methods + devices.methods + operations.methods + audit.methods, logger: logger,
        threads: eventLoops, tls: tls?.server)
    transport.server = server
    return Daemon(
        server: server,
        housekeeping: Housekeeping(
            ledger: ledger, keys: keys, clock: clock,
            duties: [
                AuditPublisher(ledger: ledger, signer: signer, clock: clock, logger: logger),
                RetentionDuty(ledger: ledger, rule: configuration.store.retention, clock: clock, logger: logger), disk,
            ],
            logger: logger),
        traffic: traffic, tls: tls)
}
