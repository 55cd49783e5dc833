public import AssayCore
import Synchronization

/// A ledger that remembers until the process ends: for tests, and the twin to which other ledgers are compared.
public final class MemoryLedger: Ledger {
    private let state = Mutex(MemoryState())
    private let failure = Mutex<LedgerError?>(nil)

    public init() {}

    /// From now on every call throws `error` and changes nothing; `nil` ends it.
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

    public func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool {
        try withState { $0.blocks[.subject(subject, of: app)] != nil }
    }

    public func block(
        _ target: BlockTarget, reason: String, at time: Timestamp
    ) async throws(LedgerError) -> BlockChange? {
        try withState { $0.set(Device.Block(target.kind, reason: reason, since: time), on: target) }
    }

    public func unblock(_ target: BlockTarget) async throws(LedgerError) -> BlockChange? {
        try withState { $0.set(nil, on: target) }
    }

    public func forget(_ id: DeviceID) async throws(LedgerError) -> ForgottenDevice? {
        try withState { $0.forget(id) }
    }

    public func add(imported devices: [Device]) async throws(LedgerError) -> [ImportOutcome] {
        try withState { state in devices.map { state.add(imported: $0) } }
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
            guard let kept = state.verdicts[idempotencyKey], now < kept.expiry else { return nil }
            return StoredVerdict(request: kept.request, verdict: kept.verdict, objection: state.objection(to: kept.device))
        }
    }

    public func purge(now: Timestamp) async throws(LedgerError) {
        try withState { $0.purge(now: now) }
    }

    public func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage {
        try withState { $0.page(from: number, limit: limit) }
    }

    public func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims? {
        try withState { $0.auditClaims[number]?.claims }
    }

    public func forgetAuditClaims(of device: DeviceID, app: AppID) async throws(LedgerError) -> Int64 {
        try withState { $0.forgetAuditClaims(of: device, app: app) }
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

    public func status() async throws(LedgerError) -> LedgerStatus {
        try withState { state in
            LedgerStatus(
                spentHorizon: state.horizon, devices: Int64(state.devices.count), auditCount: state.chain.number,
                auditHead: state.chain.head, auditDropped: state.start.number, lastEntryAt: state.audit.last?.time)
        }
    }

    /// What was accepted, in order.
    public var auditLog: [(time: Timestamp, record: AuditRecord)] {
        state.withLock { state in
            state.audit.compactMap { row in AuditRecord(decoding: row.record).map { (row.time, $0) } }
        }
    }
}
