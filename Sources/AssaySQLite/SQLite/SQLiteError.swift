import AssayCore
import CSQLite

/// A failed call of SQLite. Its class decides how the ledger continues.
struct SQLiteError: Error, Hashable, Sendable {
    /// SQLite's extended result code.
    let code: Int32
    let message: String

    init(_ code: Int32, _ message: String) { (self.code, self.message) = (code, message) }

    /// The failure for data that differs from what was written.
    static func damaged(_ message: String) -> SQLiteError { SQLiteError(SQLITE_CORRUPT, message) }

    /// The failure for a file that is not the one that was opened.
    static func replaced(_ message: String) -> SQLiteError { SQLiteError(moved, message) }

    /// SQLITE_READONLY_DBMOVED
    private static let moved = SQLITE_READONLY | 4 << 8

    private var primary: Int32 { code & 0xFF }

    /// True if the data differs from what was written.
    var isDamage: Bool {
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB: true
        // SQLITE_IOERR_DATA, SQLITE_IOERR_CORRUPTFS
        case SQLITE_IOERR: code >> 8 == 32 || code >> 8 == 33
        default: false
        }
    }

    var isReplacement: Bool { code == Self.moved }

    /// True if the disk could not be written, because it is full, over a quota, or mounted for reading. The transaction is rolled back;
    /// the connection and its reads are sound.
    var wasNotWritten: Bool {
        // SQLITE_IOERR_WRITE
        primary == SQLITE_FULL || code == SQLITE_IOERR | 3 << 8
    }

    /// True if a sync failed (SQLITE_IOERR_FSYNC): what was written before it may be lost, and no later sync tells.
    var isOfSync: Bool { code == SQLITE_IOERR | 4 << 8 }

    /// True if another connection holds a lock. The connection itself is sound.
    var isLock: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    /// True if connection and file may be sound after a roll-back: the disk was full, or had an error that may pass.
    var mayPass: Bool {
        switch primary {
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM: true
        default: isLock || isOfTheValues
        }
    }

    /// True if the bound values are at fault, not the store. Other entries of the transaction are not affected.
    var isOfTheValues: Bool {
        switch primary {
        case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE: true
        default: false
        }
    }

    /// The failure as callers see it.
    var ledgerError: LedgerError {
        if isReplacement { return .replaced(message) }
        return isDamage ? .corrupt(text) : .unavailable(text)
    }

    private var text: String {
        let kind =
            switch primary {
            case SQLITE_FULL: "disk full"
            case SQLITE_READONLY: "read-only"
            case SQLITE_BUSY, SQLITE_LOCKED: "locked"
            case SQLITE_IOERR: "I/O error"
            case SQLITE_CANTOPEN: "cannot be opened"
            case SQLITE_CORRUPT, SQLITE_NOTADB: "damaged"
            case SQLITE_NOMEM: "out of memory"
            default: "SQLite error"
            }
        return "\(kind) (\(code)): \(message)"
    }
}
