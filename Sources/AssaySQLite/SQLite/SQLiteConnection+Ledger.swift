import CSQLite

/// Connections with the settings of a ledger.
extension SQLiteConnection {
    /// A connection to the ledger at `path`. `settleFile` must have run before on another one.
    static func ledger(
        at path: String, _ options: LedgerOptions, mustWrite: Bool = true
    ) throws(SQLiteFailure) -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: path, vfs: options.vfs, busyTimeout: options.busyTimeout, mustWrite: mustWrite)
        // wal_autocheckpoint: `Checkpointer` does it, on another connection. secure_delete: Debian's SQLite has it on, which
        // overwrites each page of a dropped table with zeros; FAST overwrites only pages that are written anyway.
        try connection.execute(
            """
            PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;
            PRAGMA temp_store=MEMORY; PRAGMA secure_delete=FAST; PRAGMA wal_autocheckpoint=0;
            PRAGMA journal_size_limit=\(options.logSizeLimit);
            """)
        guard try connection.integer("PRAGMA synchronous") == 2 else {
            throw SQLiteFailure(SQLITE_MISUSE, "synchronous=FULL was not taken")
        }
        return connection
    }

    /// Overwrites everything that `body` deletes with zeros. Without it, the overflow pages of long values keep them.
    func overwritingDeleted(_ body: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
        try execute("PRAGMA secure_delete=ON")
        defer { try? execute("PRAGMA secure_delete=FAST") }
        try body()
    }

    /// Sets the modes that the file itself keeps. `auto_vacuum` takes effect only before the first table; with it, dropping a table would
    /// move other pages.
    func settleFile() throws(SQLiteFailure) {
        try execute("PRAGMA auto_vacuum=NONE")
        guard try text("PRAGMA journal_mode=WAL") == "wal" else {
            throw SQLiteFailure(SQLITE_CANTOPEN, "the file system does not support write-ahead logging")
        }
    }

    /// A connection that changes neither the file nor its log, not even when it closes.
    static func looking(at path: String) throws(SQLiteFailure) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, busyTimeout: 5000)
        try connection.keepLogWhenClosed()
        try connection.execute("PRAGMA query_only=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON")
        return connection
    }
}
