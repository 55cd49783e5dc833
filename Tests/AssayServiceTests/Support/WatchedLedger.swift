import AssayCore
import AssayTesting
import Synchronization

/// A memory ledger that counts what it is asked, can fail at one kind of question, and can let a test act before one is
/// answered.
final class WatchedLedger: Ledger {
    enum Question: Hashable, Sendable {
        case commit, device, devices, list, block, flag, listBlocks, forget, add, verdict, purge, secrets, remove, status,
            audit, trim,
            forgetClaims,
            attestationKey, receipts, subject, record,
            certificate, certificates, submissions, spent, revoke, revocations, enrolments, fleetDevice, provision, policies,
            resultKeys, statusPlaces, statusLists, statusEntries, setInvalid, payload, uploads
    }

    private struct State {
        var asked: [Question: Int] = [:]
        var failures: [Question: LedgerError] = [:]
        var actions: [Question: @Sendable () async -> Void] = [:]
        var trimmed: Trimmed?
        var answeredDevices = Int.max
        var watchers: [AsyncStream<Question>.Continuation] = []
    }

    let memory: MemoryLedger
    private let state = Mutex(State())

    init(_ memory: MemoryLedger = MemoryLedger()) { self.memory = memory }

    func asked(_ question: Question) -> Int { state.withLock { $0.asked[question, default: 0] } }

    /// From now on every question of this kind throws; `nil` ends it.
    func fail(_ question: Question, with error: LedgerError?) { state.withLock { $0.failures[question] = error } }

    /// From now on every question throws; `nil` ends it.
    func fail(with error: LedgerError?) { memory.fail(with: error) }

    /// Runs once, before the next question of this kind is answered.
    func before(_ question: Question, _ action: @escaping @Sendable () async -> Void) {
        state.withLock { $0.actions[question] = action }
    }

    /// From now on nothing is trimmed, and this is said to have come of it.
    func answerTrim(_ trimmed: Trimmed) { state.withLock { $0.trimmed = trimmed } }

    /// From now on so many devices at most are answered for when several are asked for at once.
    func answerDevices(atMost count: Int) { state.withLock { $0.answeredDevices = count } }

    /// The questions from now on, as they were answered.
    func questions() -> AsyncStream<Question> {
        let (stream, continuation) = AsyncStream<Question>.makeStream()
        state.withLock { $0.watchers.append(continuation) }
        return stream
    }

    func ask<T>(_ question: Question, _ body: () async throws(LedgerError) -> T) async throws(LedgerError) -> T {
        let (failure, action) = state.withLock { state in
            state.asked[question, default: 0] += 1
            return (state.failures[question], state.actions.removeValue(forKey: question))
        }
        await action?()
        defer { for watcher in state.withLock({ $0.watchers }) { watcher.yield(question) } }
        if let failure { throw failure }
        return try await body()
    }

    func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome] {
        try await ask(.commit) { () async throws(LedgerError) in try await memory.commit(entries) }
    }

    func device(_ key: DeviceKey) async throws(LedgerError) -> Device? {
        try await ask(.device) { () async throws(LedgerError) in try await memory.device(key) }
    }

    /// One question, and within it one about each device.
    func devices(of keys: [DeviceKey]) async -> [Result<Device?, LedgerError>] {
        let most = state.withLock { state in
            state.asked[.devices, default: 0] += 1
            return state.answeredDevices
        }
        var found: [Result<Device?, LedgerError>] = []
        for key in keys.prefix(most) {
            do throws(LedgerError) { found.append(.success(try await device(key))) } catch { found.append(.failure(error)) }
        }
        return found
    }

    func device(_ id: DeviceID) async throws(LedgerError) -> Device? {
        try await ask(.device) { () async throws(LedgerError) in try await memory.device(id) }
    }

    func use(ofAttestationKey key: [UInt8], at now: Timestamp) async throws(LedgerError) -> AttestationKeyUse {
        try await ask(.attestationKey) { () async throws(LedgerError) in
            try await memory.use(ofAttestationKey: key, at: now)
        }
    }

    func devices(_ listing: DeviceListing) async throws(LedgerError) -> DevicePage {
        try await ask(.list) { () async throws(LedgerError) in try await memory.devices(listing) }
    }

    func blocks(_ listing: BlockListing) async throws(LedgerError) -> BlockPage {
        try await ask(.listBlocks) { () async throws(LedgerError) in try await memory.blocks(listing) }
    }

    func areSpent(_ tokens: [[UInt8]]) async throws(LedgerError) -> [Bool] {
        try await ask(.spent) { () async throws(LedgerError) in try await memory.areSpent(tokens) }
    }

    func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool {
        try await ask(.subject) { () async throws(LedgerError) in try await memory.isBlocked(subject: subject, of: app) }
    }

    func block(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await ask(.block) { () async throws(LedgerError) in try await memory.block(target, context) }
    }

    func unblock(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await ask(.block) { () async throws(LedgerError) in try await memory.unblock(target, context) }
    }

    func forget(_ id: DeviceID, _ context: ChangeContext) async throws(LedgerError) -> ForgottenDevice? {
        try await ask(.forget) { () async throws(LedgerError) in try await memory.forget(id, context) }
    }

    func change(
        _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> DeviceFlagOutcome? {
        try await ask(.flag) { () async throws(LedgerError) in
            try await memory.change(change, of: id, app: app, context)
        }
    }

    func add(imported devices: [Device], _ context: ChangeContext) async throws(LedgerError) -> [ImportOutcome] {
        try await ask(.add) { () async throws(LedgerError) in try await memory.add(imported: devices, context) }
    }

    func record(_ change: AuditChange, at time: Timestamp) async throws(LedgerError) {
        try await ask(.record) { () async throws(LedgerError) in try await memory.record(change, at: time) }
    }

    func receipts(in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int) async throws(LedgerError) -> DueReceipts {
        try await ask(.receipts) { () async throws(LedgerError) in
            try await memory.receipts(in: queue, dueAt: now, limit: limit)
        }
    }

    func keep(_ outcomes: [ReceiptOutcome]) async throws(LedgerError) {
        try await ask(.receipts) { () async throws(LedgerError) in try await memory.keep(outcomes) }
    }

    func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict? {
        try await ask(.verdict) { () async throws(LedgerError) in
            try await memory.verdict(idempotencyKey: idempotencyKey, now: now)
        }
    }

    func purge(now: Timestamp) async throws(LedgerError) {
        try await ask(.purge) { () async throws(LedgerError) in try await memory.purge(now: now) }
    }

    func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage {
        try await ask(.audit) { () async throws(LedgerError) in try await memory.audit(from: number, limit: limit) }
    }

    func auditWriters() async throws(LedgerError) -> [AuditWriter] {
        try await ask(.audit) { () async throws(LedgerError) in try await memory.auditWriters() }
    }

    func audit(of writer: AuditWriter, from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage? {
        try await ask(.audit) { () async throws(LedgerError) in
            try await memory.audit(of: writer, from: number, limit: limit)
        }
    }

    func auditClaims(of number: Int64, by writer: AuditWriter) async throws(LedgerError) -> AuditClaims? {
        try await ask(.audit) { () async throws(LedgerError) in try await memory.auditClaims(of: number, by: writer) }
    }

    func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims? {
        try await ask(.audit) { () async throws(LedgerError) in try await memory.auditClaims(of: number) }
    }

    func forgetAuditClaims(
        of device: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Int64 {
        try await ask(.forgetClaims) { () async throws(LedgerError) in
            try await memory.forgetAuditClaims(of: device, app: app, context)
        }
    }

    func trim(to limits: Retention) async throws(LedgerError) -> Trimmed {
        try await ask(.trim) { () async throws(LedgerError) in
            if let trimmed = state.withLock({ $0.trimmed }) { return trimmed }
            return try await memory.trim(to: limits)
        }
    }

    func keep(policies: [StoredPolicy]) async throws(LedgerError) {
        try await ask(.policies) { () async throws(LedgerError) in try await memory.keep(policies: policies) }
    }

    func policies(beginning prefix: [UInt8]) async throws(LedgerError) -> [StoredPolicy] {
        try await ask(.policies) { () async throws(LedgerError) in try await memory.policies(beginning: prefix) }
    }

    func policies(_ listing: PolicyListing) async throws(LedgerError) -> PolicyPage {
        try await ask(.policies) { () async throws(LedgerError) in try await memory.policies(listing) }
    }

    func secrets() async throws(LedgerError) -> [WrappedSecret] {
        try await ask(.secrets) { () async throws(LedgerError) in try await memory.secrets() }
    }

    func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret {
        try await ask(.add) { () async throws(LedgerError) in try await memory.add(secret) }
    }

    func removeSecret(name: String, number: UInt32) async throws(LedgerError) {
        try await ask(.remove) { () async throws(LedgerError) in try await memory.removeSecret(name: name, number: number) }
    }

    func callerKeys() async throws(LedgerError) -> [CallerKey] { try await memory.callerKeys() }

    func add(_ key: CallerKey, _ context: ChangeContext) async throws(LedgerError) -> Bool {
        try await memory.add(key, context)
    }

    func revokeCallerKey(_ name: String, _ context: ChangeContext) async throws(LedgerError) -> CallerKey? {
        try await memory.revokeCallerKey(name, context)
    }

    func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) async throws(LedgerError) -> Int {
        try await ask(.resultKeys) { () async throws(LedgerError) in try await memory.publish(keys, context) }
    }

    func resultKeys() async throws(LedgerError) -> [PublishedResultKey] {
        try await ask(.resultKeys) { () async throws(LedgerError) in try await memory.resultKeys() }
    }

    func setSigning(
        _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
    ) async throws(LedgerError) -> PublishedResultKey? {
        try await ask(.resultKeys) { () async throws(LedgerError) in
            try await memory.setSigning(identifier, from: time, context)
        }
    }

    func statusPlaces(_ requests: [ResultStatusRequest]) async throws(LedgerError) -> [ResultStatusPlace] {
        try await ask(.statusPlaces) { () async throws(LedgerError) in try await memory.statusPlaces(requests) }
    }

    func statusLists() async throws(LedgerError) -> [ResultStatusList] {
        try await ask(.statusLists) { () async throws(LedgerError) in try await memory.statusLists() }
    }

    func statusEntries(ofList list: UInt32) async throws(LedgerError) -> [ResultStatusEntry] {
        try await ask(.statusEntries) { () async throws(LedgerError) in
            try await memory.statusEntries(ofList: list)
        }
    }

    func setInvalid(_ judgements: [DeviceID: Bool]) async throws(LedgerError) -> Int {
        try await ask(.setInvalid) { () async throws(LedgerError) in try await memory.setInvalid(judgements) }
    }

    func verdicts(
        onPayload key: [UInt8], at now: Timestamp, limit: Int
    ) async throws(LedgerError) -> [IndexedVerdict] {
        try await ask(.payload) { () async throws(LedgerError) in
            try await memory.verdicts(onPayload: key, at: now, limit: limit)
        }
    }

    func begin(_ upload: Upload, limit: Int) async throws(LedgerError) -> UploadOutcome {
        try await ask(.uploads) { () async throws(LedgerError) in try await memory.begin(upload, limit: limit) }
    }

    func put(
        _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        try await ask(.uploads) { () async throws(LedgerError) in
            try await memory.put(chunks, of: id, by: owner, at: now)
        }
    }

    func finish(
        _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        try await ask(.uploads) { () async throws(LedgerError) in
            try await memory.finish(id, statement, by: owner, at: now)
        }
    }

    func upload(_ id: UploadID) async throws(LedgerError) -> Upload? {
        try await ask(.uploads) { () async throws(LedgerError) in try await memory.upload(id) }
    }

    func progress(of id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> UploadProgress? {
        try await ask(.uploads) { () async throws(LedgerError) in try await memory.progress(of: id, by: owner) }
    }

    func abort(_ id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> Bool {
        try await ask(.uploads) { () async throws(LedgerError) in try await memory.abort(id, by: owner) }
    }

    func clockMemory() async throws(LedgerError) -> ClockMemory? { try await memory.clockMemory() }

    func keep(_ clock: ClockMemory) async throws(LedgerError) { try await memory.keep(clock) }

    func status() async throws(LedgerError) -> LedgerStatus {
        try await ask(.status) { () async throws(LedgerError) in try await memory.status() }
    }
}
