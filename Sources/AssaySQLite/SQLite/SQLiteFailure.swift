import AssayCore
import CSQLite

/// A call into SQLite failed. Internal to the store: it knows the error's class, which decides how to go on.
struct SQLiteFailure: Error, Hashable, Sendable {
    /// Extended result code.
    let code: Int32
    let message: String

    init(_ code: Int32, _ message: String) { (self.code, self.message) = (code, message) }

    /// What was read back is not what was written.
    static func damaged(_ message: String) -> SQLiteFailure { SQLiteFailure(SQLITE_CORRUPT, message) }

    /// A file is not the one that was opened.
    static func replaced(_ message: String) -> SQLiteFailure { SQLiteFailure(moved, message) }

    /// SQLITE_READONLY_DBMOVED
    private static let moved = SQLITE_READONLY | 4 << 8

    private var primary: Int32 { code & 0xFF }

    /// True if what was read cannot be what was written.
    var isDamage: Bool {
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB: true
        // SQLITE_IOERR_DATA, SQLITE_IOERR_CORRUPTFS
        case SQLITE_IOERR: code >> 8 == 32 || code >> 8 == 33
        default: false
        }
    }

    var isReplacement: Bool { code == Self.moved }

    /// True if the disk did not take what was to be written, as where it is full, beyond a quota, or mounted for reading: the
    /// transaction is gone, and the connection and what it reads are as good as before.
    var wasNotWritten: Bool {
        // SQLITE_IOERR_WRITE
        primary == SQLITE_FULL || code == SQLITE_IOERR | 3 << 8
    }

    /// True if somebody else holds a lock: the connection itself is sound.
    var isLock: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    /// True if the connection may be sound after a roll-back, and the file with it: the disk was full, or gave an error
    /// that may pass.
    var mayPass: Bool {
        switch primary {
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM: true
        default: isLock || isOfTheValues
        }
    }

    /// True if the values given to SQLite are at fault and not the store: whoever shares the transaction is innocent.
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
