import AssayCore
import CSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file with verdict records: one connection, used by one thread.
///
/// It is no ledger. `synchronous=NORMAL` syncs at checkpoints only: a crash of the process loses nothing that was committed, a power loss the
/// last transactions, and neither damages the file. The connection locks the file for itself.
final class VerdictRecordFile {
    /// "ASVR": tells the file from a ledger, and from files of others.
    private static let applicationID: Int64 = 0x4153_5652
    private static let version: Int64 = 1
    /// Rows that one page looks at, at most: a filter that few records meet does not hold up the thread.
    private static let scanLimit = 5000
    /// Rows that one transaction drops at most.
    private static let dropLimit: Int64 = 1000
    /// The write-ahead log's size after a checkpoint, in bytes.
    private static let logSize = 4 << 20

    let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private(set) var rows: Int64
    /// The recordings of apps, which lie in a table of their own beside the records.
    var recordings = RecordingTotals()
    private let pageSize: Int64
    /// When the daemon opened the file that did not close it; `nil`: the last end was clean.
    let uncleanSince: Timestamp?

    /// Opens or makes the file.
    ///
    /// - Parameter now: kept until the file is closed: it tells the next start that this one did not end cleanly.
    init(_ path: String, vfs: String? = nil, now: Timestamp) throws(VerdictRecordFileError) {
        // Before anything is done with the file, its mode included.
        if let why = Self.foreignContent(of: path) { throw .unusable(why) }
        do throws(LedgerError) {
            try LedgerFile.checkDirectory(of: path)
            try LedgerFile.make(path)
            try LedgerFile.protect(path)
        } catch {
            throw .passing(error.description)
        }
        do throws(SQLiteError) {
            connection = try SQLiteConnection(path: path, vfs: vfs, busyTimeout: 100)
            try connection.execute(
                """
                PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;
                PRAGMA secure_delete=FAST;
                PRAGMA journal_size_limit=\(Self.logSize); PRAGMA cache_size=-8192;
                """)
            // Only before the first table, and not in a file that may be another program's, which it would write.
            if try Self.isNew(connection) { try connection.execute("PRAGMA auto_vacuum=INCREMENTAL") }
            guard try connection.text("PRAGMA journal_mode=WAL") == "wal" else {
                throw SQLiteError(SQLITE_CANTOPEN, "the file system does not support write-ahead logging")
            }
            try connection.execute("PRAGMA synchronous=NORMAL")
            try Self.migrate(connection)
            let opened = try connection.integer("SELECT value FROM meta WHERE name = 'opened_at'")
            uncleanSince = opened == 0 ? nil : Timestamp(unixMilliseconds: opened)
            if uncleanSince != nil {
                let fault = try connection.text("PRAGMA quick_check(1)")
                guard fault == "ok" else { throw SQLiteError.damaged(fault) }
            }
            rows = try connection.integer("SELECT count(*) FROM verdicts")
            recordings = try RecordingTotals(reading: connection)
            pageSize = try connection.integer("PRAGMA page_size")
            insert = try SQLiteStatement(
                connection,
                """
                INSERT INTO verdicts (time, request_id, decision, app, caller, device, subject, reason, record)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                """)
            try connection.execute(
                "INSERT OR REPLACE INTO meta VALUES ('opened_at', \(max(1, now.unixMilliseconds)))")
        } catch {
            throw VerdictRecordFileError(error, path)
        }
    }

    /// Marks the end as clean. The connection closes with the object.
    func conclude() { try? connection.execute("DELETE FROM meta WHERE name = 'opened_at'") }

    /// Whether the file is empty. Throws if it is neither that nor one of records.
    private static func isNew(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        let application = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        guard application == applicationID || (application == 0 && version == 0 && tables == 0) else {
            throw VerdictRecordFileError.foreign("the file holds no verdict records (application id \(application))")
        }
        guard version <= Self.version else {
            throw VerdictRecordFileError.foreign("version \(version) of the file is newer than \(Self.version)")
        }
        return version == 0
    }

    private static func migrate(_ connection: SQLiteConnection) throws(SQLiteError) {
        guard try connection.integer("PRAGMA user_version") == 0 else { return }
        // Each index ends in the time: a page is a range of it, in the order of the page. What few records have is indexed only there.
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            CREATE TABLE verdicts (
                number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, request_id BLOB NOT NULL,
                decision INTEGER NOT NULL, app TEXT NOT NULL, caller TEXT NOT NULL, device BLOB, subject BLOB, reason TEXT,
                record BLOB NOT NULL) STRICT;
            CREATE INDEX verdicts_by_time ON verdicts (time);
            CREATE INDEX verdicts_by_request ON verdicts (request_id);
            CREATE INDEX verdicts_by_decision ON verdicts (decision, time);
            CREATE INDEX verdicts_by_app ON verdicts (app, time);
            CREATE INDEX verdicts_by_caller ON verdicts (caller, time);
            CREATE INDEX verdicts_by_device ON verdicts (device, time) WHERE device IS NOT NULL;
            CREATE INDEX verdicts_by_subject ON verdicts (subject, time) WHERE subject IS NOT NULL;
            CREATE INDEX verdicts_by_reason ON verdicts (reason, time) WHERE reason IS NOT NULL;
            CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            PRAGMA application_id=\(applicationID); PRAGMA user_version=\(version);
            COMMIT
            """)
    }
}

extension VerdictRecordFile {
    /// What the header of a database says (SQLite, "Database File Format", 1.3): its first 16 bytes, and the application id at 68.
    static func foreignContent(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var header = [UInt8](repeating: 0, count: 72)
        let count = fread(&header, 1, header.count, file)
        // An empty file becomes one of records.
        guard count > 0 else { return nil }
        guard count == header.count, header.starts(with: "SQLite format 3\0".utf8) else {
            return "\(path) is not a database"
        }
        let application = header.suffix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        // 0: not set, or not copied from the log yet. Then the tables tell, once the file is open.
        return [0, applicationID].contains(application) ? nil : "\(path) is a database of something else than verdict records"
    }
}

// MARK: Writing

extension VerdictRecordFile {
    /// Adds records in one transaction: all or none.
    func add(_ records: [VerdictRecord]) throws(SQLiteError) {
        try transact { () throws(SQLiteError) in
            for record in records {
                let request = record.request
                insert.bind(1, request.time.unixMilliseconds)
                insert.bind(2, request.id)
                insert.bind(3, Int64(record.decision.rawValue))
                insert.bind(4, request.app.text)
                insert.bind(5, request.caller)
                insert.bind(6, record.device?.bytes)
                insert.bind(7, request.subject.isEmpty ? nil : request.subject)
                insert.bind(8, record.reason?.code)
                insert.bind(9, record.encoded())
                try insert.run()
            }
        }
        rows += Int64(records.count)
    }

    /// The bytes in use. Pages that are free are used again.
    func bytes() throws(SQLiteError) -> Int64 {
        let (pages, free) = (try connection.integer("PRAGMA page_count"), try connection.integer("PRAGMA freelist_count"))
        return (pages - free) * pageSize
    }

    /// Drops records beyond the limits, the oldest first, in groups. Bounded: what is left is dropped by the next call.
    ///
    /// - Parameter now: `nil`: age is not looked at.
    func trim(_ limits: VerdictRecordLimits, now: Timestamp?) throws(SQLiteError) {
        if let now {
            let edge = now.adding(milliseconds: -limits.age).unixMilliseconds
            for _ in 0..<50 {
                let count = try drop("SELECT number FROM verdicts WHERE time < \(edge) ORDER BY time LIMIT \(Self.dropLimit)")
                if count < Self.dropLimit { break }
            }
        }
        var shares = AppShares()
        for _ in 0..<500 where rows > limits.rows { try drop(oldest: min(rows - limits.rows, Self.dropLimit), &shares) }
        for _ in 0..<500 {
            guard rows > 0, try bytes() - recordings.bytes > limits.bytes else { break }
            try drop(oldest: max(1, min(rows / 16, Self.dropLimit)), &shares)
        }
        try shrink()
    }

    /// The records of each app, counted when they are first asked for.
    private struct AppShares {
        private var counts: [String: Int64]?

        /// The app with the most records.
        mutating func largest(in connection: SQLiteConnection) throws(SQLiteError) -> String? {
            if counts == nil {
                var found: [String: Int64] = [:]
                try SQLiteStatement(connection, "SELECT app, count(*) FROM verdicts GROUP BY app").forEach {
                    (row) throws(SQLiteError) in
                    found[row.text(0)] = row.int64(1)
                    return true
                }
                counts = found
            }
            return counts?.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        }

        mutating func dropped(_ count: Int64, of app: String) { counts?[app, default: 0] -= count }
    }

    /// Drops the oldest records of the app that has the most: a flood in one app does not push out those of the others.
    private func drop(oldest count: Int64, _ shares: inout AppShares) throws(SQLiteError) {
        guard let app = try shares.largest(in: connection) else { return }
        let name = app.replacing("'", with: "''")
        let dropped = try drop("SELECT number FROM verdicts WHERE app = '\(name)' ORDER BY time LIMIT \(min(count, 250))")
        shares.dropped(dropped, of: app)
    }

    private func drop(_ numbers: String) throws(SQLiteError) -> Int64 {
        var count: Int64 = 0
        try transact { () throws(SQLiteError) in
            try connection.execute("DELETE FROM verdicts WHERE number IN (\(numbers))")
            count = Int64(connection.changes)
        }
        rows -= count
        return count
    }

    /// Gives pages back to the disk once a quarter of the file is free.
    func shrink() throws(SQLiteError) {
        let (pages, free) = (try connection.integer("PRAGMA page_count"), try connection.integer("PRAGMA freelist_count"))
        guard free > 1024, free > pages / 4 else { return }
        try connection.execute("PRAGMA incremental_vacuum(1024)")
    }

    func transact(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try body()
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }
}

// MARK: Reading

extension VerdictRecordFile {
    func page(_ listing: VerdictRecordListing) throws(SQLiteError) -> VerdictRecordPage {
        let (column, value) = Self.index(for: listing)
        // Positions below the upper end and from the lower end on are one range of the index.
        var end = VerdictRecordPosition(time: listing.until ?? .distantFuture, number: listing.until == nil ? .max : 0)
        if let after = listing.after { end = min(end, after) }
        let select = try SQLiteStatement(
            connection,
            """
            SELECT number, time, record FROM verdicts INDEXED BY verdicts_by_\(column)
            WHERE \(value == nil ? "" : "\(column) = ?4 AND ") time >= ?1 AND (time, number) < (?2, ?3)
            ORDER BY time DESC, number DESC
            """)
        select.bind(1, (listing.since ?? .distantPast).unixMilliseconds)
        select.bind(2, end.time.unixMilliseconds)
        select.bind(3, end.number)
        switch value {
        case .bytes(let bytes): select.bind(4, bytes)
        case .text(let text): select.bind(4, text)
        case .number(let number): select.bind(4, number)
        case nil: break
        }
        var (records, last, looked): ([VerdictRecord], VerdictRecordPosition?, Int) = ([], nil, 0)
        var isEnded = true
        try select.forEach { (row) throws(SQLiteError) in
            guard records.count < listing.limit, looked < Self.scanLimit else {
                isEnded = false
                return false
            }
            looked += 1
            last = VerdictRecordPosition(time: Timestamp(unixMilliseconds: row.int64(1)), number: row.int64(0))
            // A record of another version's form is left out.
            if let record = VerdictRecord(decoding: row.bytes(2)), listing.admits(record) { records.append(record) }
            return true
        }
        return VerdictRecordPage(records: records, next: isEnded ? nil : last ?? listing.after)
    }

    private enum IndexedValue {
        case bytes([UInt8])
        case text(String)
        case number(Int64)
    }

    /// The index of the filter that fewest records meet, and its value; that of the time where there is no filter.
    private static func index(for listing: VerdictRecordListing) -> (column: String, value: IndexedValue?) {
        if let device = listing.device { return ("device", .bytes(device.bytes)) }
        if let subject = listing.subject { return ("subject", .bytes(subject)) }
        if let reason = listing.reason { return ("reason", .text(reason)) }
        if let caller = listing.caller ?? listing.scope.caller { return ("caller", .text(caller)) }
        if let app = listing.app { return ("app", .text(app.text)) }
        if let decision = listing.decision { return ("decision", .number(Int64(decision.rawValue))) }
        return ("time", nil)
    }

    func records(_ prefix: [UInt8], in scope: VerdictRecordScope) throws(SQLiteError) -> [VerdictRecord] {
        let select = try SQLiteStatement(
            connection,
            """
            SELECT record FROM verdicts INDEXED BY verdicts_by_request WHERE request_id BETWEEN ?1 AND ?2 LIMIT \(Self.scanLimit)
            """)
        select.bind(1, prefix)
        select.bind(2, prefix + [UInt8](repeating: 0xFF, count: 16))
        var found: [VerdictRecord] = []
        try select.forEach { (row) throws(SQLiteError) in
            if let record = VerdictRecord(decoding: row.bytes(0)),
                scope.contains(app: record.request.app, caller: record.request.caller)
            {
                found.append(record)
            }
            return found.count < 2
        }
        return found
    }
}

/// Why the file cannot be used.
enum VerdictRecordFileError: Error {
    /// Its content is damaged, or that of another program. It stays so until an operator acts.
    case unusable(String)
    /// It may be usable later.
    case passing(String)

    /// The failure for a file that is not of this kind.
    static func foreign(_ message: String) -> SQLiteError { SQLiteError(SQLITE_NOTADB, message) }

    init(_ error: SQLiteError, _ path: String) {
        let words: String
        switch error.ledgerError {
        case .corrupt(let why), .unavailable(let why), .replaced(let why): words = why
        case .overloaded: words = error.message
        }
        let place = words.contains(path) ? words : "\(path): \(words)"
        self = error.isDamage ? .unusable(place) : .passing(error.isLock ? "\(path) is in use by another process" : place)
    }
}
