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

    private var primary: Int32 { code & 0xFF }

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
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(text)
        default: .unavailable(text)
        }
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
