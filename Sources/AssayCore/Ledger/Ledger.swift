/// Everything that Assay remembers: the promises below over one set of records.
///
/// A part of the daemon takes the promise that it uses (`any DeviceRegistry`, `any SecretStore`), so that its type says what it
/// may read and change. An implementation keeps all of them. `LedgerContract` in AssayTesting checks each promise by itself.
///
/// What holds for all promises:
/// - A change is durable when its call returns. If the call throws, either the change was not made, or later reads show it.
/// - A change that the audit log records is recorded in the transaction that makes it. A call that changes nothing records nothing.
/// - Text and bytes are compared byte by byte.
public protocol Ledger: VerdictLedger, DeviceRegistry, DeviceFlagRegistry, BlockRegistry, CertificateRegistry,
    EnrolmentRegistry,
    AuditLog, SecretStore, CallerKeyRegistry, ResultKeyRegistry, ResultStatusRegistry, PayloadIndex, UploadRegistry,
    PolicyStore,
    ReceiptStore, ClockMemoryStore, LedgerStatusSource, LedgerMaintenance
{}

/// The ledger cannot answer. The error says nothing about the evidence.
public enum LedgerError: Error, Hashable, Sendable {
    /// The store cannot be read or written now: disk full, read-only, locked, I/O error.
    case unavailable(String)
    /// The queue of entries is full.
    case overloaded
    /// The data that is read differs from the data that was written.
    case corrupt(String)
    /// The store is not the one that was opened: a file of it was removed or exchanged.
    case replaced(String)
}

extension LedgerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let why): "the ledger is unavailable: \(why)"
        case .overloaded: "the ledger's queue is full"
        case .corrupt(let why): "the ledger is damaged: \(why)"
        case .replaced(let why): "the ledger was replaced: \(why)"
        }
    }
}

/// Reports the state of the ledger. Nothing here changes it.
public protocol LedgerStatusSource: Sendable {
    /// The state of the ledger. Throws if the ledger accepts nothing now, even where reads work.
    func status() async throws(LedgerError) -> LedgerStatus

    /// Why calls that wait for the ledger may get no answer soon: something has taken longer than it should, and may still succeed.
    /// `nil`: nothing has. Does not block.
    var lateness: LedgerError? { get }
}

extension LedgerStatusSource {
    public var lateness: LedgerError? { nil }
}

/// The state of a ledger at one instant.
public struct LedgerStatus: Hashable, Sendable {
    /// The highest expiry that was purged. A challenge that expires at or below it is not fresh.
    public var spentHorizon: Timestamp
    public var devices: Int64
    /// The writer of the audit chain that the following fields are about: this ledger's own.
    public var writer: AuditWriter
    /// The number of records ever appended to the chain, and its head after the last of them, 32 bytes.
    public var auditCount: Int64
    public var auditHead: [UInt8]
    /// The number of records dropped from the front, and the head of the chain after the last of these, 32 bytes.
    public var auditDropped: Int64
    public var auditStartHead: [UInt8]
    /// The time of the last accepted verdict; `nil` if the log holds none.
    public var lastEntryAt: Timestamp?
    /// The chains of the other writers, by name; empty in a ledger with one writer.
    public var otherWriters: [AuditWriterStatus]
    public init(
        spentHorizon: Timestamp, devices: Int64, writer: AuditWriter = .only, auditCount: Int64, auditHead: [UInt8],
        auditDropped: Int64 = 0,
        auditStartHead: [UInt8] = AuditChain().head, lastEntryAt: Timestamp?,
        otherWriters: [AuditWriterStatus] = []
    ) {
        self.spentHorizon = spentHorizon
        self.devices = devices
        self.writer = writer
        self.auditCount = auditCount
        self.auditHead = auditHead
        self.auditDropped = auditDropped
        self.auditStartHead = auditStartHead
        self.lastEntryAt = lastEntryAt
        self.otherWriters = otherWriters
    }

    /// The chain before the first record that is kept.
    public var auditStart: AuditChain { AuditChain(number: auditDropped, head: auditStartHead) }
    /// The chain after the last record.
    public var auditEnd: AuditChain { AuditChain(number: auditCount, head: auditHead) }
    /// The chains of all writers: this ledger's own, then the others by name.
    public var writers: [AuditWriterStatus] {
        [AuditWriterStatus(writer, start: auditStart, end: auditEnd, lastEntryAt: lastEntryAt)] + otherWriters
    }
}
