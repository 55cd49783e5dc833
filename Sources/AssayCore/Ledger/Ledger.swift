/// Everything that Assay remembers: the promises below over one set of records.
///
/// A part of the daemon takes the promise that it uses (`any DeviceRegistry`, `any SecretStore`), so that its type says what it
/// may read and change. An implementation keeps all of them. `LedgerContract` in AssayTesting checks each promise by itself.
///
/// What holds for all promises:
/// - A change is durable when its call returns. If the call throws, either the change was not made, or later reads show it.
/// - A change that the audit log records is recorded in the transaction that makes it. A call that changes nothing records nothing.
/// - Text and bytes are compared byte by byte.
public protocol Ledger: VerdictLedger, DeviceRegistry, BlockRegistry, AuditLog, SecretStore, ReceiptStore, ClockMemoryStore,
    LedgerStatusSource, LedgerMaintenance
{}

/// The ledger cannot answer. The error says nothing about the evidence.
public enum LedgerError: Error, Hashable, Sendable {
    /// The store cannot be read or written now: disk full, read-only, locked, I/O error.
    case unavailable(String)
    /// The queue of entries is full.
    case overloaded
    /// What is read differs from what was written.
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
