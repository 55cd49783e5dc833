import AssayCore
import AssayTesting
import Testing

@Suite("Memory ledger")
struct MemoryLedgerTests {
    @Test("The memory ledger keeps each promise", arguments: LedgerContract.checks)
    func contract(_ check: ContractCheck) async throws { try await check.run(on: MemoryLedger()) }

    @Test("The memory ledger keeps the promises that take many records", arguments: LedgerContract.longChecks)
    func long(_ check: ContractCheck) async throws { try await check.run(on: MemoryLedger()) }

    @Test("The memory ledger throws the error that a test sets, and works again without it")
    func failure() async throws {
        let ledger = MemoryLedger()
        let secret = WrappedSecret(name: "n", number: 1, wrapped: [1], createdAt: Timestamp(unixSeconds: 0))
        ledger.fail(with: .unavailable("test"))
        await #expect(throws: LedgerError.unavailable("test")) { try await ledger.status() }
        await #expect(throws: LedgerError.unavailable("test")) { try await ledger.add(secret) }
        ledger.fail(with: nil)
        #expect(try await ledger.secrets().isEmpty)
    }

    @Test("The contract fails a ledger that remembers nothing")
    func brokenLedger() async throws {
        struct Forgetful: Ledger {
            func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome] {
                entries.map { _ in .committed }
            }
            func device(_ key: DeviceKey) async throws(LedgerError) -> Device? { nil }
            func device(_ id: DeviceID) async throws(LedgerError) -> Device? { nil }
            func use(ofAttestationKey key: [UInt8], at now: Timestamp) async throws(LedgerError) -> AttestationKeyUse {
                AttestationKeyUse(lastDay: 0)
            }
            func devices(_ listing: DeviceListing) async throws(LedgerError) -> DevicePage { .init(devices: [], next: nil) }
            func blocks(_ listing: BlockListing) async throws(LedgerError) -> BlockPage { .init(blocks: [], next: nil) }
            func areSpent(_ tokens: [[UInt8]]) async throws(LedgerError) -> [Bool] { tokens.map { _ in false } }
            func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool { false }
            func block(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? { nil }
            func unblock(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? { nil }
            func forget(_ id: DeviceID, _ context: ChangeContext) async throws(LedgerError) -> ForgottenDevice? { nil }
            func change(
                _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
            ) async throws(LedgerError) -> DeviceFlagOutcome? { nil }
            func add(imported devices: [Device], _ context: ChangeContext) async throws(LedgerError) -> [ImportOutcome] {
                devices.map { .added($0.id) }
            }
            func record(_ change: AuditChange, at time: Timestamp) async throws(LedgerError) {}
            func receipts(
                in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int
            ) async throws(LedgerError) -> DueReceipts { DueReceipts(devices: [], count: 0) }
            func keep(_ outcomes: [ReceiptOutcome]) async throws(LedgerError) {}
            func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict? { nil }
            func purge(now: Timestamp) async throws(LedgerError) {}
            func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage {
                AuditPage(start: AuditChain(), last: 0, rows: [])
            }
            func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims? { nil }
            func forgetAuditClaims(
                of device: DeviceID, app: AppID, _ context: ChangeContext
            ) async throws(LedgerError) -> Int64 { 0 }
            func trim(to limits: Retention) async throws(LedgerError) -> Trimmed {
                Trimmed()
            }
            func keep(policies: [StoredPolicy]) async throws(LedgerError) {}
            func policies(beginning prefix: [UInt8]) async throws(LedgerError) -> [StoredPolicy] { [] }
            func policies(_ listing: PolicyListing) async throws(LedgerError) -> PolicyPage { PolicyPage(rows: [], next: nil) }
            func secrets() async throws(LedgerError) -> [WrappedSecret] { [] }
            func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret { secret }
            func removeSecret(name: String, number: UInt32) async throws(LedgerError) {}
            func callerKeys() async throws(LedgerError) -> [CallerKey] { [] }
            func add(_ key: CallerKey, _ context: ChangeContext) async throws(LedgerError) -> Bool { false }
            func revokeCallerKey(_ name: String, _ context: ChangeContext) async throws(LedgerError) -> CallerKey? { nil }
            func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) async throws(LedgerError) -> Int { 0 }
            func resultKeys() async throws(LedgerError) -> [PublishedResultKey] { [] }
            func setSigning(
                _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
            ) async throws(LedgerError) -> PublishedResultKey? { nil }
            func statusPlaces(_ requests: [ResultStatusRequest]) async throws(LedgerError) -> [ResultStatusPlace] { [] }
            func statusLists() async throws(LedgerError) -> [ResultStatusList] { [] }
            func statusEntries(ofList list: UInt32) async throws(LedgerError) -> [ResultStatusEntry] { [] }
            func setInvalid(_ judgements: [DeviceID: Bool]) async throws(LedgerError) -> Int { 0 }
            func verdicts(
                onPayload key: [UInt8], at now: Timestamp, limit: Int
            ) async throws(LedgerError) -> [IndexedVerdict] { [] }
            func begin(_ upload: Upload, limit: Int) async throws(LedgerError) -> UploadOutcome { .failure(.unknown) }
            func put(
                _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
            ) async throws(LedgerError) -> UploadOutcome { .failure(.unknown) }
            func finish(
                _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
            ) async throws(LedgerError) -> UploadOutcome { .failure(.unknown) }
            func upload(_ id: UploadID) async throws(LedgerError) -> Upload? { nil }
            func progress(of id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> UploadProgress? { nil }
            func abort(_ id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> Bool { false }
            func clockMemory() async throws(LedgerError) -> ClockMemory? { nil }
            func keep(_ memory: ClockMemory) async throws(LedgerError) {}
            func certificate(_ name: CertificateName) async throws(LedgerError) -> DeviceCertificate? { nil }
            func certificate(ofKey keyID: [UInt8], app: AppID) async throws(LedgerError) -> DeviceCertificate? { nil }
            func submissions(of device: DeviceID, at now: Timestamp) async throws(LedgerError) -> Int64 { 0 }
            func revoke(
                _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
            ) async throws(LedgerError) -> RevocationChange? { nil }
            func certificates(serial: [UInt8], app: AppID) async throws(LedgerError) -> [DeviceCertificate] { [] }
            func certificateCounts(
                of devices: [DeviceID], at time: Timestamp
            ) async throws(LedgerError) -> [DeviceID: CertificateCounts] { [:] }
            func certificates(_ listing: CertificateListing) async throws(LedgerError) -> CertificatePage {
                CertificatePage(certificates: [], next: nil)
            }
            func revocations(
                of issuer: [UInt8], validAt time: Timestamp
            ) async throws(LedgerError) -> [RevokedCertificate] { [] }
            func revocationCount(of issuer: [UInt8]) async throws(LedgerError) -> Int64 { 0 }
            func lastExpiry(of issuer: [UInt8]) async throws(LedgerError) -> Timestamp? { nil }
            func revocationList(of issuer: [UInt8]) async throws(LedgerError) -> StoredRevocationList? { nil }
            func keep(_ list: StoredRevocationList) async throws(LedgerError) -> Bool { true }
            func add(_ enrolments: [Enrolment], _ context: ChangeContext) async throws(LedgerError) -> [Bool] {
                enrolments.map { _ in true }
            }
            func removeEnrolment(
                _ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext
            ) async throws(LedgerError) -> Bool { true }
            func enrolment(_ permit: Enrolment.Permit, of app: AppID) async throws(LedgerError) -> Enrolment? { nil }
            func readmit(
                _ readmission: Readmission, _ context: ChangeContext
            ) async throws(LedgerError) -> ReadmissionOutcome { .notProvisioned }
            func enrolments(_ listing: EnrolmentListing) async throws(LedgerError) -> EnrolmentPage {
                EnrolmentPage(enrolments: [], next: nil)
            }
            func fleetDevice(serial: [UInt8], app: AppID) async throws(LedgerError) -> FleetDevice? { nil }
            func fleetDevice(idempotencyKey key: [UInt8]) async throws(LedgerError) -> FleetDevice? { nil }
            func provision(_ entry: FleetEntry) async throws(LedgerError) -> FleetOutcome { .provisioned }
            func status() async throws(LedgerError) -> LedgerStatus {
                LedgerStatus(
                    spentHorizon: .distantPast, devices: 0, auditCount: 0, auditHead: AuditChain().head, lastEntryAt: nil)
            }
        }
        await #expect(throws: ContractViolation.self) { try await LedgerContract.run { Forgetful() } }
    }
}

@Suite("Fixed clock")
struct FixedClockTests {
    @Test("A fixed clock stands still until it is set")
    func moves() {
        let clock = FixedClock(Timestamp(unixSeconds: 10))
        #expect(clock.now() == Timestamp(unixSeconds: 10))
        clock.advance(milliseconds: -1500)
        #expect(clock.now() == Timestamp(unixMilliseconds: 8500))
        clock.set(Timestamp(unixSeconds: 20))
        #expect(clock.now() == Timestamp(unixSeconds: 20))
    }
}
