import AssayAPI
import AssayClient
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Synchronization
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

@Suite("Equal requests", .timeLimit(.minutes(30)))
struct EqualRequestTests {
    @Test("Two requests under one idempotency key get one verdict if one is accepted during the other's appraisal")
    func overtaken() async throws {
        let home = try TestHome()
        let ledger = InterruptedLedger()
        // Two daemons on one ledger: within one, equal requests are judged together.
        let vault = SecretVault(key: SecureRandom.bytes(SecretVault.secretLength))
        let (daemon, client) = try await Self.daemon(home, ledger, vault)
        let (second, other) = try await Self.daemon(home, ledger, vault)
        var phone = home.phone()
        #expect(try await phone.register(client).outcome == "accepted")

        var request = try phone.upload(try await phone.challenge(.assert, client))
        request.idempotencyKey = [1]
        let first = Mutex<Assay_V1_Verdict?>(nil)
        ledger.beforeNextDevice { [request] in
            let verdict = try? await other.patiently(request)
            first.withLock { $0 = verdict }
        }
        let overtaken = try await client.patiently(request)
        let winner = try #require(first.withLock { $0 })
        #expect(winner.outcome == "accepted" && !winner.repeated)
        #expect(overtaken.outcome == "accepted" && overtaken.repeated)
        #expect(overtaken.requestID == winner.requestID)

        // Without a key, or with other fields under it, no stored verdict is returned.
        request.idempotencyKey = []
        #expect(try await client.patiently(request).outcome == "counter_not_increasing")
        request.idempotencyKey = [1]
        request.subject = [1]
        #expect(try await client.patiently(request).outcome == "idempotency_key_reused")
        for client in [client, other] { await client.close() }
        for daemon in [daemon, second] { await daemon.server.stop() }
    }

    private static func daemon(
        _ home: TestHome, _ ledger: InterruptedLedger, _ vault: SecretVault
    ) async throws -> (Daemon, AssayClient) {
        let daemon = try await makeDaemon(
            try Configuration.load(home.configuration), ledger: ledger, vault: vault, logger: .silent)
        return (daemon, try await AssayClient.connect(to: try #require(try await daemon.start().first).description))
    }
}

/// A ledger in memory with a hook before a device is read.
private final class InterruptedLedger: Ledger {
    private let ledger = MemoryLedger()
    private let interruption = Mutex<(@Sendable () async -> Void)?>(nil)

    func beforeNextDevice(_ body: @escaping @Sendable () async -> Void) { interruption.withLock { $0 = body } }

    func device(_ key: DeviceKey) async throws(LedgerError) -> Device? {
        let body = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        await body?()
        return try await ledger.device(key)
    }

    func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome] { try await ledger.commit(entries) }
    func device(_ id: DeviceID) async throws(LedgerError) -> Device? { try await ledger.device(id) }
    func use(ofAttestationKey key: [UInt8], at now: Timestamp) async throws(LedgerError) -> AttestationKeyUse {
        try await ledger.use(ofAttestationKey: key, at: now)
    }
    func devices(_ listing: DeviceListing) async throws(LedgerError) -> DevicePage { try await ledger.devices(listing) }
    func blocks(_ listing: BlockListing) async throws(LedgerError) -> BlockPage { try await ledger.blocks(listing) }
    func areSpent(_ tokens: [[UInt8]]) async throws(LedgerError) -> [Bool] { try await ledger.areSpent(tokens) }
    func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool {
        try await ledger.isBlocked(subject: subject, of: app)
    }
    func block(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await ledger.block(target, context)
    }
    func unblock(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await ledger.unblock(target, context)
    }
    func forget(_ id: DeviceID, _ context: ChangeContext) async throws(LedgerError) -> ForgottenDevice? {
        try await ledger.forget(id, context)
    }
    func change(
        _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> DeviceFlagOutcome? {
        try await ledger.change(change, of: id, app: app, context)
    }
    func add(imported devices: [Device], _ context: ChangeContext) async throws(LedgerError) -> [ImportOutcome] {
        try await ledger.add(imported: devices, context)
    }
    func record(_ change: AuditChange, at time: Timestamp) async throws(LedgerError) {
        try await ledger.record(change, at: time)
    }
    func receipts(in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int) async throws(LedgerError) -> DueReceipts {
        try await ledger.receipts(in: queue, dueAt: now, limit: limit)
    }
    func keep(_ outcomes: [ReceiptOutcome]) async throws(LedgerError) { try await ledger.keep(outcomes) }
    func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict? {
        try await ledger.verdict(idempotencyKey: idempotencyKey, now: now)
    }
    func purge(now: Timestamp) async throws(LedgerError) { try await ledger.purge(now: now) }
    func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage {
        try await ledger.audit(from: number, limit: limit)
    }
    func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims? {
        try await ledger.auditClaims(of: number)
    }
    func forgetAuditClaims(
        of device: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Int64 {
        try await ledger.forgetAuditClaims(of: device, app: app, context)
    }
    func trim(to limits: Retention) async throws(LedgerError) -> Trimmed { try await ledger.trim(to: limits) }
    func keep(policies: [StoredPolicy]) async throws(LedgerError) { try await ledger.keep(policies: policies) }
    func policies(beginning prefix: [UInt8]) async throws(LedgerError) -> [StoredPolicy] {
        try await ledger.policies(beginning: prefix)
    }
    func policies(_ listing: PolicyListing) async throws(LedgerError) -> PolicyPage { try await ledger.policies(listing) }
    func secrets() async throws(LedgerError) -> [WrappedSecret] { try await ledger.secrets() }
    func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret { try await ledger.add(secret) }
    func removeSecret(name: String, number: UInt32) async throws(LedgerError) {
        try await ledger.removeSecret(name: name, number: number)
    }
    func callerKeys() async throws(LedgerError) -> [CallerKey] { try await ledger.callerKeys() }
    func add(_ key: CallerKey, _ context: ChangeContext) async throws(LedgerError) -> Bool {
        try await ledger.add(key, context)
    }
    func revokeCallerKey(_ name: String, _ context: ChangeContext) async throws(LedgerError) -> CallerKey? {
        try await ledger.revokeCallerKey(name, context)
    }
    func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) async throws(LedgerError) -> Int {
        try await ledger.publish(keys, context)
    }
    func resultKeys() async throws(LedgerError) -> [PublishedResultKey] { try await ledger.resultKeys() }
    func setSigning(
        _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
    ) async throws(LedgerError) -> PublishedResultKey? {
        try await ledger.setSigning(identifier, from: time, context)
    }
    func statusPlaces(_ requests: [ResultStatusRequest]) async throws(LedgerError) -> [ResultStatusPlace] {
        try await ledger.statusPlaces(requests)
    }
    func statusLists() async throws(LedgerError) -> [ResultStatusList] { try await ledger.statusLists() }
    func statusEntries(ofList list: UInt32) async throws(LedgerError) -> [ResultStatusEntry] {
        try await ledger.statusEntries(ofList: list)
    }
    func setInvalid(_ judgements: [DeviceID: Bool]) async throws(LedgerError) -> Int {
        try await ledger.setInvalid(judgements)
    }
    func verdicts(
        onPayload key: [UInt8], at now: Timestamp, limit: Int
    ) async throws(LedgerError) -> [IndexedVerdict] {
        try await ledger.verdicts(onPayload: key, at: now, limit: limit)
    }
    func begin(_ upload: Upload, limit: Int) async throws(LedgerError) -> UploadOutcome {
        try await ledger.begin(upload, limit: limit)
    }
    func put(
        _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        try await ledger.put(chunks, of: id, by: owner, at: now)
    }
    func finish(
        _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        try await ledger.finish(id, statement, by: owner, at: now)
    }
    func upload(_ id: UploadID) async throws(LedgerError) -> Upload? {
        try await ledger.upload(id)
    }
    func progress(of id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> UploadProgress? {
        try await ledger.progress(of: id, by: owner)
    }
    func abort(_ id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> Bool {
        try await ledger.abort(id, by: owner)
    }
    func clockMemory() async throws(LedgerError) -> ClockMemory? { try await ledger.clockMemory() }
    func keep(_ memory: ClockMemory) async throws(LedgerError) { try await ledger.keep(memory) }
    func status() async throws(LedgerError) -> LedgerStatus { try await ledger.status() }
    func certificate(_ name: CertificateName) async throws(LedgerError) -> DeviceCertificate? {
        try await ledger.certificate(name)
    }
    func certificate(ofKey keyID: [UInt8], app: AppID) async throws(LedgerError) -> DeviceCertificate? {
        try await ledger.certificate(ofKey: keyID, app: app)
    }
    func submissions(of device: DeviceID, at now: Timestamp) async throws(LedgerError) -> Int64 {
        try await ledger.submissions(of: device, at: now)
    }
    func revoke(
        _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
    ) async throws(LedgerError) -> RevocationChange? {
        try await ledger.revoke(name, reason, context)
    }
    func certificates(serial: [UInt8], app: AppID) async throws(LedgerError) -> [DeviceCertificate] {
        try await ledger.certificates(serial: serial, app: app)
    }
    func certificateCounts(
        of devices: [DeviceID], at time: Timestamp
    ) async throws(LedgerError) -> [DeviceID: CertificateCounts] {
        try await ledger.certificateCounts(of: devices, at: time)
    }
    func certificates(_ listing: CertificateListing) async throws(LedgerError) -> CertificatePage {
        try await ledger.certificates(listing)
    }
    func revocations(of issuer: [UInt8], validAt time: Timestamp) async throws(LedgerError) -> [RevokedCertificate] {
        try await ledger.revocations(of: issuer, validAt: time)
    }
    func revocationCount(of issuer: [UInt8]) async throws(LedgerError) -> Int64 {
        try await ledger.revocationCount(of: issuer)
    }
    func lastExpiry(of issuer: [UInt8]) async throws(LedgerError) -> Timestamp? {
        try await ledger.lastExpiry(of: issuer)
    }
    func revocationList(of issuer: [UInt8]) async throws(LedgerError) -> StoredRevocationList? {
        try await ledger.revocationList(of: issuer)
    }
    func keep(_ list: StoredRevocationList) async throws(LedgerError) -> Bool {
        try await ledger.keep(list)
    }
    func add(_ enrolments: [Enrolment], _ context: ChangeContext) async throws(LedgerError) -> [Bool] {
        try await ledger.add(enrolments, context)
    }
    func removeEnrolment(
        _ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Bool {
        try await ledger.removeEnrolment(permit, of: app, context)
    }
    func enrolment(_ permit: Enrolment.Permit, of app: AppID) async throws(LedgerError) -> Enrolment? {
        try await ledger.enrolment(permit, of: app)
    }
    func readmit(
        _ readmission: Readmission, _ context: ChangeContext
    ) async throws(LedgerError) -> ReadmissionOutcome {
        try await ledger.readmit(readmission, context)
    }
    func enrolments(_ listing: EnrolmentListing) async throws(LedgerError) -> EnrolmentPage {
        try await ledger.enrolments(listing)
    }
    func fleetDevice(serial: [UInt8], app: AppID) async throws(LedgerError) -> FleetDevice? {
        try await ledger.fleetDevice(serial: serial, app: app)
    }
    func fleetDevice(idempotencyKey key: [UInt8]) async throws(LedgerError) -> FleetDevice? {
        try await ledger.fleetDevice(idempotencyKey: key)
    }
    func provision(_ entry: FleetEntry) async throws(LedgerError) -> FleetOutcome {
        try await ledger.provision(entry)
    }
}
