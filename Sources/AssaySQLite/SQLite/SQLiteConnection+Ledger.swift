import CSQLite

/// A connection as the ledger wants it. Everything that must hold is read back.
extension SQLiteConnection {
    /// A connection to the ledger at `path`, whose journal mode is settled already.
    static func ledger(
        at path: String, _ options: LedgerOptions, mustWrite: Bool = true
    ) throws(SQLiteFailure) -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: path, vfs: options.vfs, busyTimeout: options.busyTimeout, mustWrite: mustWrite)
        // Checkpoints are run from another connection, away from commits. secure_delete: Debian builds SQLite with it
        // on, which writes zeros over each page of a dropped table; FAST does so only where the page is written anyway.
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

    /// Writes zeros over all that `body` deletes. Otherwise what is long stays on the pages that it had.
    func overwritingDeleted(_ body: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
        try execute("PRAGMA secure_delete=ON")
        defer { try? execute("PRAGMA secure_delete=FAST") }
        try body()
    }

    /// Settles what is kept in the file itself. `auto_vacuum` counts only before the first table: with it, dropping a
    /// table would move other pages about.
    func settleFile() throws(SQLiteFailure) {
        try execute("PRAGMA auto_vacuum=NONE")
        guard try text("PRAGMA journal_mode=WAL") == "wal" else {
            throw SQLiteFailure(SQLITE_CANTOPEN, "the file system does not support write-ahead logging")
        }
    }

    /// A connection that changes nothing in the file or in its log, not even when it is closed.
    static func looking(at path: String) throws(SQLiteFailure) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, busyTimeout: 5000)
        try connection.keepLogWhenClosed()
        try connection.execute("PRAGMA query_only=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON")
        return connection
    }
}
