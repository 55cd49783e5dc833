public import AssayCore
import Synchronization

/// A ledger in memory, for tests. It states the rules of a ledger as plainly as possible, so that other ledgers can be compared with it.
public final class MemoryLedger: Ledger {
    private let state: Mutex<MemoryState>
    private let failure = Mutex<LedgerError?>(nil)

    /// - Parameter writer: the ledger's own writer of audit records.
    public init(writer: AuditWriter = .only) { state = Mutex(MemoryState(writer: writer)) }

    /// Makes all later calls throw `error` and change nothing; `nil` ends it.
    public func fail(with error: LedgerError?) { failure.withLock { $0 = error } }

    private func withState<T>(_ body: (inout MemoryState) -> T) throws(LedgerError) -> T {
        if let error = failure.withLock({ $0 }) { throw error }
        return state.withLock { state in body(&state) }
    }

    public func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome] {
        try withState { state in entries.map { state.commit($0) } }
    }

    public func device(_ key: DeviceKey) async throws(LedgerError) -> Device? {
        try withState { state in state.names[key].flatMap { state.device($0) } }
    }

    public func device(_ id: DeviceID) async throws(LedgerError) -> Device? {
        try withState { $0.device(id) }
    }

    public func use(ofAttestationKey key: [UInt8], at now: Timestamp) async throws(LedgerError) -> AttestationKeyUse {
        try withState { $0.use(ofAttestationKey: key, at: now) }
    }

    public func devices(_ listing: DeviceListing) async throws(LedgerError) -> DevicePage {
        try withState { $0.page(listing) }
    }

    public func blocks(_ listing: BlockListing) async throws(LedgerError) -> BlockPage {
        try withState { $0.page(listing) }
    }

    public func areSpent(_ tokens: [[UInt8]]) async throws(LedgerError) -> [Bool] {
        try withState { state in tokens.map { state.spent[$0].map { !$0.expiryIsFixed } ?? false } }
    }

    public func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool {
        try withState { $0.blocks[.subject(subject, of: app)] != nil }
    }

    public func block(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try withState { $0.block(target, context) }
    }

    public func unblock(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try withState { $0.unblock(target, context) }
    }

    public func change(
        _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> DeviceFlagOutcome? {
        try withState { $0.change(change, of: id, app: app, context) }
    }

    public func forget(_ id: DeviceID, _ context: ChangeContext) async throws(LedgerError) -> ForgottenDevice? {
        try withState { $0.forget(id, context) }
    }

    public func add(
        imported devices: [Device], _ context: ChangeContext
    ) async throws(LedgerError) -> [ImportOutcome] {
        try withState { $0.add(imported: devices, context) }
    }

    public func receipts(
        in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int
    ) async throws(LedgerError) -> DueReceipts {
        try withState { $0.receipts(in: queue, dueAt: now, limit: limit) }
    }

    public func keep(_ outcomes: [ReceiptOutcome]) async throws(LedgerError) {
        try withState { state in for outcome in outcomes { state.keep(outcome) } }
    }

    public func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict? {
        try withState { state in
            guard let kept = state.verdicts[idempotencyKey], now < kept.verdict.expiry else { return nil }
            return StoredVerdict(
                request: kept.verdict.request, verdict: kept.verdict.verdict, objection: state.objection(to: kept))
        }
    }

    // MARK: Certificates

    public func certificate(_ name: CertificateName) async throws(LedgerError) -> DeviceCertificate? {
        try withState { $0.certificate(name) }
    }

    public func certificate(ofKey keyID: [UInt8], app: AppID) async throws(LedgerError) -> DeviceCertificate? {
        try withState { $0.certificate(ofKey: keyID, app: app) }
    }

    public func submissions(of device: DeviceID, at now: Timestamp) async throws(LedgerError) -> Int64 {
        try withState { $0.countedSubmissions(of: device, at: now) }
    }

    public func revoke(
        _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
    ) async throws(LedgerError) -> RevocationChange? {
        try withState { $0.revoke(name, reason, context) }
    }

    public func certificates(serial: [UInt8], app: AppID) async throws(LedgerError) -> [DeviceCertificate] {
        try withState { state in state.certificates.filter { $0.name.serial == serial && $0.app == app } }
    }

    public func certificates(_ listing: CertificateListing) async throws(LedgerError) -> CertificatePage {
        try withState { $0.page(listing) }
    }

    public func certificateCounts(
        of devices: [DeviceID], at time: Timestamp
    ) async throws(LedgerError) -> [DeviceID: CertificateCounts] {
        try withState { $0.certificateCounts(of: Set(devices), at: time) }
    }

    public func revocations(
        of issuer: [UInt8], validAt time: Timestamp
    ) async throws(LedgerError) -> [RevokedCertificate] {
        try withState { $0.revocations(of: issuer, validAt: time) }
    }

    public func revocationCount(of issuer: [UInt8]) async throws(LedgerError) -> Int64 {
        try withState { state in
            Int64(state.certificates.count { $0.name.issuer == issuer && $0.revocation != nil })
        }
    }

    public func lastExpiry(of issuer: [UInt8]) async throws(LedgerError) -> Timestamp? {
        try withState { state in state.certificates.filter { $0.name.issuer == issuer }.map(\.notAfter).max() }
    }

    public func revocationList(of issuer: [UInt8]) async throws(LedgerError) -> StoredRevocationList? {
        try withState { $0.revocationLists[issuer] }
    }

    public func keep(_ list: StoredRevocationList) async throws(LedgerError) -> Bool {
        try withState { state in
            if let kept = state.revocationLists[list.issuer], kept.number >= list.number { return false }
            state.revocationLists[list.issuer] = list
            return true
        }
    }

    /// Does with the kept revocation lists what a ledger does that may have gone back to an earlier state.
    public func passLists() async throws(LedgerError) {
        try withState { state in
            state.revocationLists = state.revocationLists.mapValues { list in
                StoredRevocationList(
                    issuer: list.issuer, number: list.number, thisUpdate: list.thisUpdate, nextUpdate: list.nextUpdate,
                    revocationCount: StoredRevocationList.passed, der: list.der)
            }
        }
    }

    // MARK: Fleets

    public func add(_ enrolments: [Enrolment], _ context: ChangeContext) async throws(LedgerError) -> [Bool] {
        try withState { $0.add(enrolments, context) }
    }

    public func removeEnrolment(
        _ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Bool {
        try withState { $0.removeEnrolment(permit, of: app, context) }
    }

    public func enrolments(_ listing: EnrolmentListing) async throws(LedgerError) -> EnrolmentPage {
        try withState { $0.page(listing) }
    }

    public func enrolment(_ permit: Enrolment.Permit, of app: AppID) async throws(LedgerError) -> Enrolment? {
        try withState { $0.enrolment(permit, of: app) }
    }

    public func readmit(
        _ readmission: Readmission, _ context: ChangeContext
    ) async throws(LedgerError) -> ReadmissionOutcome {
        try withState { $0.readmit(readmission, context) }
    }

    public func fleetDevice(serial: [UInt8], app: AppID) async throws(LedgerError) -> FleetDevice? {
        try withState { $0.fleetDevice(serial: serial, app: app) }
    }

    public func fleetDevice(idempotencyKey key: [UInt8]) async throws(LedgerError) -> FleetDevice? {
        try withState { $0.fleetDevice(idempotencyKey: key) }
    }

    public func provision(_ entry: FleetEntry) async throws(LedgerError) -> FleetOutcome {
        try withState { $0.provision(entry) }
    }

    // MARK: Signed results

    public func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) async throws(LedgerError) -> Int {
        try withState { $0.publish(keys, context) }
    }

    public func resultKeys() async throws(LedgerError) -> [PublishedResultKey] { try withState { $0.resultKeys } }

    public func setSigning(
        _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
    ) async throws(LedgerError) -> PublishedResultKey? {
        try withState { $0.setSigning(identifier, from: time, context) }
    }

    public func statusPlaces(_ requests: [ResultStatusRequest]) async throws(LedgerError) -> [ResultStatusPlace] {
        try withState { state in requests.map { state.statusPlace($0) } }
    }

    public func statusLists() async throws(LedgerError) -> [ResultStatusList] { try withState { $0.statusLists } }

    public func statusEntries(ofList list: UInt32) async throws(LedgerError) -> [ResultStatusEntry] {
        try withState { $0.statusEntries(ofList: list) }
    }

    public func setInvalid(_ judgements: [DeviceID: Bool]) async throws(LedgerError) -> Int {
        try withState { $0.setInvalid(judgements) }
    }

    public func verdicts(
        onPayload key: [UInt8], at now: Timestamp, limit: Int
    ) async throws(LedgerError) -> [IndexedVerdict] {
        try withState { state in
            let found = state.indexed.enumerated().filter { $0.element.key == key && $0.element.until >= now }
                .sorted { ($0.element.time, $0.offset) > ($1.element.time, $1.offset) }
            return found.prefix(max(0, limit)).map(\.element)
        }
    }

    // MARK: Uploads

    public func begin(_ upload: Upload, limit: Int) async throws(LedgerError) -> UploadOutcome {
        try withState { state in UploadOutcome { () throws(UploadRefusal) in try state.begin(upload, limit: limit) } }
    }

    public func put(
        _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        try withState { state in
            UploadOutcome { () throws(UploadRefusal) in try state.put(chunks, of: id, by: owner, at: now) }
        }
    }

    public func finish(
        _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        try withState { state in
            UploadOutcome { () throws(UploadRefusal) in try state.finish(id, statement, by: owner, at: now) }
        }
    }

    public func upload(_ id: UploadID) async throws(LedgerError) -> Upload? { try withState { $0.uploads[id]?.upload } }

    public func progress(of id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> UploadProgress? {
        try withState { $0.uploads[id].flatMap { $0.upload.owner == owner ? $0.progress : nil } }
    }

    public func abort(_ id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> Bool {
        try withState { state in
            guard state.uploads[id]?.upload.owner == owner else { return false }
            return state.uploads.removeValue(forKey: id) != nil
        }
    }

    // MARK: Maintenance, audit log, secrets

    public func purge(now: Timestamp) async throws(LedgerError) {
        try withState { $0.purge(now: now) }
    }

    public func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage {
        try withState { $0.page(from: number, limit: limit) }
    }

    public func auditWriters() async throws(LedgerError) -> [AuditWriter] {
        try withState { [$0.writer] + $0.otherChains.keys.sorted() }
    }

    public func audit(
        of writer: AuditWriter, from number: Int64, limit: Int
    ) async throws(LedgerError) -> AuditPage? {
        try withState { $0.page(of: writer, from: number, limit: limit) }
    }

    public func auditClaims(of number: Int64, by writer: AuditWriter) async throws(LedgerError) -> AuditClaims? {
        try withState { $0.writer == writer ? $0.auditClaims[number]?.claims : nil }
    }

    /// Appends a record to the chain of another writer, as a daemon beside this one does.
    public func append(_ record: [UInt8], at time: Timestamp, by other: AuditWriter) {
        state.withLock { $0.log(record, at: time, by: other) }
    }

    public func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims? {
        try withState { $0.auditClaims[number]?.claims }
    }

    public func forgetAuditClaims(
        of device: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Int64 {
        try withState { $0.forgetAuditClaims(of: device, app: app, context) }
    }

    public func record(_ change: AuditChange, at time: Timestamp) async throws(LedgerError) {
        try withState { $0.log(change, at: time) }
    }

    public func trim(to limits: Retention) async throws(LedgerError) -> Trimmed {
        try withState { $0.trim(to: limits) }
    }

    public func secrets() async throws(LedgerError) -> [WrappedSecret] {
        try withState { Array($0.secrets.values) }
    }

    public func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret {
        try withState { state in
            let name = MemoryState.SecretName(name: secret.name, number: secret.number)
            if let stored = state.secrets[name] { return stored }
            state.secrets[name] = secret
            return secret
        }
    }

    public func removeSecret(name: String, number: UInt32) async throws(LedgerError) {
        try withState { $0.secrets[MemoryState.SecretName(name: name, number: number)] = nil }
    }

    public func callerKeys() async throws(LedgerError) -> [CallerKey] { try withState { $0.callerKeys } }

    public func add(_ key: CallerKey, _ context: ChangeContext) async throws(LedgerError) -> Bool {
        try withState { state in
            guard state.callerKeys.count < CallerKey.limit,
                !state.callerKeyNames.contains(key.name), !state.callerKeyHashes.contains(key.hash)
            else { return false }
            state.callerKeyNames.insert(key.name)
            state.callerKeyHashes.insert(key.hash)
            state.callerKeys.append(key)
            state.log(.key(.createKey, key, context), at: context.time)
            return true
        }
    }

    public func revokeCallerKey(_ name: String, _ context: ChangeContext) async throws(LedgerError) -> CallerKey? {
        try withState { state in
            guard let index = state.callerKeys.firstIndex(where: { $0.name == name }) else { return nil }
            guard state.callerKeys[index].revokedAt == nil else { return state.callerKeys[index] }
            state.log(.key(.revokeKey, state.callerKeys[index], context), at: context.time)
            state.callerKeys[index].revokedAt = context.time
            return state.callerKeys[index]
        }
    }

    public func keep(policies: [StoredPolicy]) async throws(LedgerError) {
        try withState { state in
            for policy in policies where !state.policies.contains(where: { $0.digest == policy.digest }) {
                state.policies.append(policy)
            }
        }
    }

    public func policies(beginning prefix: [UInt8]) async throws(LedgerError) -> [StoredPolicy] {
        try withState { Array($0.policies.filter { $0.digest.starts(with: prefix) }.prefix(2)) }
    }

    public func policies(_ listing: PolicyListing) async throws(LedgerError) -> PolicyPage {
        try withState { state in
            let found = state.policies.enumerated().reversed().filter { index, policy in
                Int64(index) + 1 < listing.position && (listing.app.map { $0 == policy.app } ?? true)
            }
            let shown = found.prefix(max(1, listing.limit))
            let rows = shown.map { _, policy in
                PolicyPage.Row(
                    digest: policy.digest, app: policy.app, firstSeen: policy.firstSeen, size: policy.text.utf8.count)
            }
            return PolicyPage(rows: rows, next: found.count > shown.count ? shown.last.map { Int64($0.offset) + 1 } : nil)
        }
    }

    public func clockMemory() async throws(LedgerError) -> ClockMemory? { try withState { $0.clock } }

    public func keep(_ memory: ClockMemory) async throws(LedgerError) { try withState { $0.clock = memory } }

    public func status() async throws(LedgerError) -> LedgerStatus {
        try withState { state in
            LedgerStatus(
                spentHorizon: state.horizon, devices: Int64(state.devices.count), writer: state.writer,
                auditCount: state.chain.number, auditHead: state.chain.head, auditDropped: state.start.number,
                auditStartHead: state.start.head,
                lastEntryAt: state.audit.lastVerdictAt,
                otherWriters: state.otherChains.sorted { $0.key < $1.key }.map { writer, rows in
                    let end = rows.last.map { AuditChain(number: $0.number, head: $0.head) } ?? AuditChain()
                    return AuditWriterStatus(writer, start: AuditChain(), end: end, lastEntryAt: rows.lastVerdictAt)
                })
        }
    }

    /// The accepted verdicts, in order.
    public var auditLog: [(time: Timestamp, record: AuditRecord)] {
        state.withLock { state in
            state.audit.compactMap { row in AuditRecord(decoding: row.record).map { (row.time, $0) } }
        }
    }

    /// The other recorded changes, in order.
    public var auditChanges: [(time: Timestamp, change: AuditChange)] {
        state.withLock { state in
            state.audit.compactMap { row in AuditChange(decoding: row.record).map { (row.time, $0) } }
        }
    }
}

extension [AuditRow] {
    /// The time of the last accepted verdict.
    fileprivate var lastVerdictAt: Timestamp? { last { AuditRecord(decoding: $0.record) != nil }?.time }
}
