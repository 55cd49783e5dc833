import AssayConfiguration
import AssayCore
import AssayMetrics
import AssayService

/// What goes with the ledger: the keys that it keeps, the record of changes, the signatures of its audit log, its disk, what is
/// forgotten, and the count of flags.
struct LedgerPart: DaemonPart {
    let keys: ChallengeKeys
    let subjects: SubjectKey
    /// The names and seals of what look-ups find.
    let payloads: PayloadKeys
    /// The names of uploads.
    let uploads: UploadNames
    let signer: AuditSigner
    /// Records the configurations that are put in force, that of the start included.
    let changes: ChangeRecorder
    let disk: DiskWatch
    /// Whether more uses of evidence can be kept.
    let useLimit = EvidenceUseLimit()
    /// The flags of devices that callers and plugins set and clear.
    let flags = DeviceFlagCounters()
    private let publisher: AuditPublisher
    private let retention: RetentionTask

    /// Throws what the ledger or the vault says, if the ledger's secrets cannot be read.
    init(_ base: DaemonBase, _ clock: ClockPart) async throws {
        let ledger = base.ledger
        changes = ChangeRecorder(ledger: ledger, logger: base.logger)
        keys = try await ChallengeKeys(ledger: ledger, vault: base.vault, clock: base.clock, logger: base.logger)
        subjects = try await SubjectKey(ledger: ledger, vault: base.vault, clock: base.clock)
        payloads = PayloadKeys(secret: try await base.secret("lookup"))
        uploads = UploadNames(secret: try await base.secret("uploads"))
        signer = try await AuditSigner(ledger: ledger, vault: base.vault, clock: base.clock)
        disk = DiskWatch(rule: base.fixed.store.disk, logger: base.logger) { [backend = base.fixed.store.backend] in
            backend.space()
        }
        publisher = AuditPublisher(ledger: ledger, signer: signer, clock: base.clock, logger: base.logger)
        retention = RetentionTask(
            ledger: ledger, rule: base.fixed.store.retention, memory: useLimit, clock: clock.settled, logger: base.logger)
    }

    var collectors: [any MetricsCollector] { [flags] }
    var maintenanceTasks: [any MaintenanceTask] { [changes, publisher, retention, disk] }
}
