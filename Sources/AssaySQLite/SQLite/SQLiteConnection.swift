import CSQLite

/// A connection of SQLite's C API without SQLite's own locks (`SQLITE_OPEN_NOMUTEX`): one thread at a time uses it.
final class SQLiteConnection {
    let handle: OpaquePointer

    /// Opens an existing file. A missing file is an error: only `LedgerFile` creates one, and only when the ledger is opened, because
    /// with an empty ledger in place of a lost one every spent challenge would be fresh again.
    ///
    /// - Parameters:
    ///   - mustWrite: whether a file that cannot be written is an error.
    ///   - flags: how the file is opened, in SQLite's own bits.
    init(
        path: String, vfs: String? = nil, busyTimeout: Int32, mustWrite: Bool = true, flags: Int32 = SQLITE_OPEN_READWRITE
    ) throws(SQLiteError) {
        _ = Self.configuration
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw SQLiteError(code, "\(path): \(message)")
        }
        handle = opened
        sqlite3_busy_timeout(opened, busyTimeout)
        // Enough memory for what SQLite allocates for one entry. Refused where it is built without this, as Debian's is.
        _ = assay_sqlite_lookaside(opened, 1200, 400)
        // SQLite opens a file that it cannot write for reading only. A ledger must be writable.
        guard !mustWrite || sqlite3_db_readonly(opened, "main") == 0 else { throw SQLiteError(SQLITE_READONLY, path) }
    }

    deinit { sqlite3_close_v2(handle) }

    /// The settings of the process, made once.
    private static let configuration = assay_sqlite_configure()

    /// Runs statements and ignores their rows.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = withExtendedLifetime(self) { sqlite3_exec(handle, sql, nil, nil, nil) }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The first column of the first row; 0 or an empty text if there is no row.
    func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        try SQLiteStatement(self, sql).first { $0.int64(0) } ?? 0
    }
    func text(_ sql: String) throws(SQLiteError) -> String {
        try SQLiteStatement(self, sql).first { $0.text(0) } ?? ""
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// The number of the row that the last INSERT added.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Copies as much of the log into the database as it can without waiting for other connections. Syncs the database if that was all.
    ///
    /// - Returns: the frames in the log, and how many of them are in the database.
    @discardableResult func checkpoint() throws(SQLiteError) -> (frames: Int, copied: Int) {
        var (frames, copied): (Int32, Int32) = (0, 0)
        let code = withExtendedLifetime(self) {
            sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
        }
        guard code == SQLITE_OK else { throw failure(code) }
        return (Int(frames), Int(copied))
    }

    /// Copies like ``checkpoint()``, and syncs the database in any case.
    ///
    /// - Returns: the number of the log's frames that are in the database.
    func checkpointAndSync() throws(SQLiteError) -> Int {
        let (frames, copied) = try checkpoint()
        if copied < frames { try syncDatabase() }
        return copied
    }

    /// Makes durable what was copied into the database.
    private func syncDatabase() throws(SQLiteError) {
        let code = withExtendedLifetime(self) {
            var file: UnsafeMutablePointer<sqlite3_file>?
            let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
            guard code == SQLITE_OK, let file, let sync = file.pointee.pMethods?.pointee.xSync else {
                return max(code, SQLITE_ERROR)
            }
            return sync(file, SQLITE_SYNC_NORMAL)
        }
        guard code == SQLITE_OK else { throw SQLiteError(code, "the database could not be synced after a checkpoint") }
    }

    /// Copies the whole log into the database and syncs it. False if a reader prevented that.
    func copyLog() throws(SQLiteError) -> Bool {
        var (frames, copied): (Int32, Int32) = (0, 0)
        let code = withExtendedLifetime(self) {
            sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_FULL, &frames, &copied)
        }
        guard code == SQLITE_OK else { throw failure(code) }
        return frames == copied
    }

    /// Keeps log and index when the connection closes.
    func keepLogWhenClosed() throws(SQLiteError) {
        let code = assay_sqlite_keep_log(handle)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Copies the whole log into the database, syncs it, and empties the log.
    func emptyLog() throws(SQLiteError) {
        let code = withExtendedLifetime(self) {
            sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    func failure(_ code: Int32) -> SQLiteError { SQLiteError(code, String(cString: sqlite3_errmsg(handle))) }
}

/// Connections with the settings of a ledger.
extension SQLiteConnection {
    /// A connection to the ledger at `path`. `settleFile` must have run before on another one.
    static func ledger(
        at path: String, _ options: LedgerOptions, mustWrite: Bool = true
    ) throws(SQLiteError) -> SQLiteConnection {
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
            throw SQLiteError(SQLITE_MISUSE, "synchronous=FULL was not taken")
        }
        return connection
    }

    /// Overwrites everything that `body` deletes with zeros. Without it, the overflow pages of long values keep them.
    func overwritingDeleted(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try execute("PRAGMA secure_delete=ON")
        defer { try? execute("PRAGMA secure_delete=FAST") }
        try body()
    }

    /// Sets the modes that the file itself keeps. `auto_vacuum` takes effect only before the first table; with it, dropping a table would
    /// move other pages.
    func settleFile() throws(SQLiteError) {
        try execute("PRAGMA auto_vacuum=NONE")
        guard try text("PRAGMA journal_mode=WAL") == "wal" else {
            throw SQLiteError(SQLITE_CANTOPEN, "the file system does not support write-ahead logging")
        }
    }

    /// A connection that changes neither the file nor its log, not even when it closes.
    static func looking(at path: String) throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, busyTimeout: 5000)
        try connection.keepLogWhenClosed()
        try connection.execute("PRAGMA query_only=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON")
        return connection
    }

    /// A connection to a file that nothing changes while it is read, such as a copy of a ledger. It takes no locks and makes no file
    /// beside it, so the file may be on a disk that is read-only.
    static func frozen(at path: String) throws(SQLiteError) -> SQLiteConnection {
        // A path in a URI (https://sqlite.org/uri.html): what is not plain is escaped.
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        let escaped = path.utf8.map { byte in
            plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        // Two slashes at the beginning of a URI's path would name a host.
        let root = path.hasPrefix("/") ? "file://" : "file:"
        let connection = try SQLiteConnection(
            path: root + escaped.joined() + "?immutable=1", busyTimeout: 0, mustWrite: false,
            flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        try connection.execute("PRAGMA query_only=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON")
        return connection
    }
}
