/// The one place that remembers.
///
/// Promises of every implementation (the exam in `AssayTesting` holds them to it):
/// - An entry is all or nothing, and durable when `commit` returns `.committed` for it.
/// - Of racing entries that exclude each other exactly one is `.committed`.
/// - One entry's refusal never fails its neighbours.
/// - Entries are rechecked inside the transaction, in this order: idempotency, devices known and not blocked, the entry's
///   subject not blocked, spends (above the horizon, unspent), counters, registrations (key and subject not blocked, key not
///   registered, not too many of one subject). Devices are those whose counters advance and the one that the audit record
///   names, but for those that the entry itself registers.
/// - A stored verdict about a device is void once the device is blocked or forgotten, and is not given to an entry whose
///   subject is blocked.
/// - A block holds from the moment at which `block` returns, for devices that are registered and for those that are not.
/// - A token is spent once, whatever expiry it comes with; where it says that its expiry is fixed, with that expiry.
public protocol Ledger: Sendable {
    /// Rechecks and applies each entry. One outcome for each, in order.
    /// Throws only when nothing can be said of any of them: nothing was applied, or it will be found applied.
    func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome]

    /// The device registered with a key.
    func device(_ key: DeviceKey) async throws(LedgerError) -> Device?

    /// The device of that name.
    func device(_ id: DeviceID) async throws(LedgerError) -> Device?

    /// How many devices, of all apps, are on record whose keys were attested by one attestation key and that were registered in
    /// the 24 hours up to `now`. Counting ends at `AttestationKeyUse.limit`.
    func use(ofAttestationKey key: [UInt8], at now: Timestamp) async throws(LedgerError) -> AttestationKeyUse

    /// Devices of one app in the order in which they were registered. Whatever is registered or forgotten meanwhile,
    /// pages show every device that was there all the time exactly once.
    func devices(_ listing: DeviceListing) async throws(LedgerError) -> DevicePage

    /// Blocks of one app, by kind and by what they are about, whether there are devices that they name or not; keys of
    /// forgotten devices that stay blocked are among them. Whatever is blocked or lifted meanwhile, pages show every block
    /// that was there all the time exactly once.
    func blocks(_ listing: BlockListing) async throws(LedgerError) -> BlockPage

    /// Whether a subject is blocked in an app.
    ///
    /// - Parameter subject: its keyed hash, 32 bytes.
    func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool

    /// Blocks what the target names, in place of an earlier block of the same target. A subject or a key can be blocked
    /// before any device of it is registered; `nil` if the target is a device and there is none of that name.
    func block(_ target: BlockTarget, reason: String, at time: Timestamp) async throws(LedgerError) -> BlockChange?

    /// Lifts the block of exactly this target; other blocks that concern the same devices stay. `nil` as above.
    func unblock(_ target: BlockTarget) async throws(LedgerError) -> BlockChange?

    /// Removes a device's record, its stored verdicts, and everything else that is kept of it but the audit log. If it was
    /// blocked, in whichever way, its key stays blocked; otherwise the key may be registered again. `nil` if there is no
    /// such device.
    func forget(_ id: DeviceID) async throws(LedgerError) -> ForgottenDevice?

    /// Adds devices that were attested elsewhere. One outcome for each, in order, none dependent on its neighbours'; they
    /// are durable together.
    func add(imported devices: [Device]) async throws(LedgerError) -> [ImportOutcome]

    /// Receipts of a queue that are due at `now`, at most `limit` of them, and how many there are.
    func receipts(in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int) async throws(LedgerError) -> DueReceipts

    /// Keeps what became of attempts to exchange receipts; nothing of devices that were forgotten meanwhile. Durable on return.
    func keep(_ outcomes: [ReceiptOutcome]) async throws(LedgerError)

    /// The verdict kept under an idempotency key that has not expired at `now`.
    func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict?

    /// Forgets what has expired at `now` and raises the spent horizon to the highest expiry that was dropped.
    /// The horizon never falls.
    func purge(now: Timestamp) async throws(LedgerError)

    /// Rows of the audit log in the order of their numbers, from `number` on: at most `limit`, and never more than
    /// `AuditPage.limit`. A missing row is a gap, not an error.
    func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage

    /// The claims that are kept beside an audit record.
    func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims?

    /// Forgets the claims beside all audit records of a device in an app, and returns how many there were. The records stay.
    func forgetAuditClaims(of device: DeviceID, app: AppID) async throws(LedgerError) -> Int64

    /// Drops some of what the limits do not let be kept. Bounded work: ask again while there is more.
    ///
    /// - Audit rows go from the front with the claims beside them; the chain then begins where the last dropped one ended.
    ///   Rows whose chain is broken are never dropped: they are what an investigation begins with.
    /// - Verdicts: those that were kept first, whether they have expired or not.
    /// - Spent challenges, when none of the others is left to drop: those that expire first. The spent horizon rises to where they lay, so that none of them is fresh
    ///   again; challenges beside them that nobody has spent yet come to nothing.
    func trim(to limits: Retention) async throws(LedgerError) -> Trimmed

    /// All secrets, in no order.
    func secrets() async throws(LedgerError) -> [WrappedSecret]

    /// Adds a secret unless one of that name and number exists; durable on return. Returns what is stored then.
    func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret

    func removeSecret(name: String, number: UInt32) async throws(LedgerError)

    func status() async throws(LedgerError) -> LedgerStatus
}

/// A verdict kept for a caller who asks again.
public struct StoredVerdict: Hashable, Sendable {
    /// SHA-256 over all fields of the request that it answered.
    public let request: [UInt8]
    public let verdict: [UInt8]
    /// Why the verdict is void, if it is: its device was blocked or forgotten since.
    public let objection: ReasonCode?
    public init(request: [UInt8], verdict: [UInt8], objection: ReasonCode?) {
        (self.request, self.verdict, self.objection) = (request, verdict, objection)
    }
}

/// A secret as it lies in the ledger: wrapped (RFC 3394) by a key that does not.
public struct WrappedSecret: Hashable, Sendable {
    public let name: String
    public let number: UInt32
    public let wrapped: [UInt8]
    public let createdAt: Timestamp
    public init(name: String, number: UInt32, wrapped: [UInt8], createdAt: Timestamp) {
        (self.name, self.number, self.wrapped, self.createdAt) = (name, number, wrapped, createdAt)
    }
}

public struct LedgerStatus: Hashable, Sendable {
    /// The highest expiry that was purged; nothing at or below it is fresh.
    public var spentHorizon: Timestamp
    public var devices: Int64
    /// Accepted verdicts recorded, those included that were dropped from the front of the log since, and the hash at the
    /// head of their chain (32 bytes).
    public var auditCount: Int64
    public var auditHead: [UInt8]
    /// How many of them were dropped.
    public var auditDropped: Int64
    /// The time of the last accepted verdict.
    public var lastEntryAt: Timestamp?
    public init(
        spentHorizon: Timestamp, devices: Int64, auditCount: Int64, auditHead: [UInt8], auditDropped: Int64 = 0,
        lastEntryAt: Timestamp?
    ) {
        self.spentHorizon = spentHorizon
        self.devices = devices
        self.auditCount = auditCount
        self.auditHead = auditHead
        self.auditDropped = auditDropped
        self.lastEntryAt = lastEntryAt
    }
}

/// Our surroundings failed; nothing is said about the evidence.
public enum LedgerError: Error, Hashable, Sendable {
    /// The store cannot be written or read now: disk full, read-only, locked, I/O error.
    case unavailable(String)
    /// More entries wait than the queue may hold.
    case overloaded
    /// What was read back is not what was written.
    case corrupt(String)
}

extension LedgerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let why): "the ledger is unavailable: \(why)"
        case .overloaded: "the ledger's queue is full"
        case .corrupt(let why): "the ledger is damaged: \(why)"
        }
    }
}
