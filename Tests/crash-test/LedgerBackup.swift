import CSQLite
import Foundation

/// A backup with SQLite's own function, like `.backup` of its command line.
enum LedgerBackup {
    /// Copies the ledger of a running daemon at one instant.
    static func make(of ledger: String, at path: String) throws {
        let source = try open(ledger, SQLITE_OPEN_READWRITE)
        defer { sqlite3_close_v2(source) }
        let copy = try open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        defer { sqlite3_close_v2(copy) }
        // As private as the ledger: the daemon does not start with a file that other users may use.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        guard let backup = sqlite3_backup_init(copy, "main", source, "main") else {
            throw Trouble("a backup cannot begin: \(String(cString: sqlite3_errmsg(copy)))")
        }
        let code = sqlite3_backup_step(backup, -1)
        guard sqlite3_backup_finish(backup) == SQLITE_OK, code == SQLITE_DONE else {
            throw Trouble("a backup failed with code \(code): \(String(cString: sqlite3_errmsg(copy)))")
        }
    }

    private static func open(_ path: String, _ flags: Int32) throws -> OpaquePointer {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Trouble("\(path) cannot be opened")
        }
        sqlite3_busy_timeout(handle, 5000)
        return handle
    }
}
