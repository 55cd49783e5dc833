import AssayCore

/// How much is recorded of each app. The table is made with the first recording, so that a file without any is as it always was.
struct RecordingTotals {
    struct Size {
        var rows: Int64 = 0
        var bytes: Int64 = 0
    }

    /// By the app's name.
    private(set) var apps: [String: Size] = [:]
    var hasTable = false

    /// What a row takes beside its recording, approximately, in bytes.
    static let overhead: Int64 = 160

    init() {}

    init(reading connection: SQLiteConnection) throws(SQLiteError) {
        hasTable = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'recordings'") > 0
        guard hasTable else { return }
        let sums = try SQLiteStatement(connection, "SELECT app, count(*), sum(size) FROM recordings GROUP BY app")
        try sums.forEach { (row) throws(SQLiteError) in
            apps[row.text(0)] = Size(rows: row.int64(1), bytes: row.int64(2))
            return true
        }
    }

    var rows: Int64 { apps.values.reduce(0) { $0 + $1.rows } }
    var bytes: Int64 { apps.values.reduce(0) { $0 + $1.bytes } }

    mutating func add(_ app: String, rows: Int64, bytes: Int64) {
        apps[app, default: Size()].rows += rows
        apps[app, default: Size()].bytes += bytes
        if apps[app]?.rows == 0 { apps[app] = nil }
    }
}

// MARK: Writing

extension VerdictRecordFile {
    /// Rows that one transaction drops at most.
    private static let dropped: Int64 = 500

    /// Adds recordings in one transaction: all or none. Returns how many were too large.
    func add(recordings pending: [PendingRecording]) throws(SQLiteError) -> Int {
        try makeRecordingTable()
        var (added, tooLarge): ([(app: String, bytes: Int64)], Int) = ([], 0)
        let insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO recordings (time, expires, app, device, size, recording, key, evidence)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        try transact { () throws(SQLiteError) in
            for one in pending {
                let content = one.content()
                guard content.size <= RecordingContent.limit else {
                    tooLarge += 1
                    continue
                }
                let size = Int64(content.size) + RecordingTotals.overhead
                insert.bind(1, one.time.unixMilliseconds)
                insert.bind(2, one.end.unixMilliseconds)
                insert.bind(3, one.app.text)
                insert.bind(4, one.device?.bytes)
                insert.bind(5, size)
                insert.bind(6, content.recording)
                insert.bind(7, content.evidence?.key)
                insert.bind(8, content.evidence?.sealed)
                try insert.run()
                added.append((one.app.text, size))
            }
        }
        for one in added { recordings.add(one.app, rows: 1, bytes: one.bytes) }
        return tooLarge
    }

    private func makeRecordingTable() throws(SQLiteError) {
        guard !recordings.hasTable else { return }
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            CREATE TABLE IF NOT EXISTS recordings (
                number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, expires INTEGER NOT NULL, app TEXT NOT NULL,
                device BLOB, size INTEGER NOT NULL, key BLOB, recording BLOB NOT NULL, evidence BLOB) STRICT;
            CREATE INDEX IF NOT EXISTS recordings_by_time ON recordings (time, number);
            CREATE INDEX IF NOT EXISTS recordings_by_end ON recordings (expires);
            CREATE INDEX IF NOT EXISTS recordings_by_app ON recordings (app, time, number);
            CREATE INDEX IF NOT EXISTS recordings_by_device ON recordings (device) WHERE device IS NOT NULL;
            COMMIT
            """)
        recordings.hasTable = true
    }

    /// Drops what is too old, and the oldest of each app beyond its limit, in bounded steps: what is left is dropped by the next call.
    ///
    /// - Parameter limits: in bytes.
    func trimRecordings(_ limits: [AppID: Int64], now: Timestamp?) throws(SQLiteError) {
        guard recordings.hasTable else { return }
        if let now {
            let ended = "SELECT number FROM recordings WHERE expires <= \(now.unixMilliseconds) ORDER BY expires"
            for _ in 0..<50 {
                if try drop(recordings: ended) < Self.dropped { break }
            }
        }
        for (app, limit) in limits {
            for _ in 0..<50 {
                guard let size = recordings.apps[app.text], size.bytes > limit else { break }
                let share = max(1, min(Self.dropped, size.rows / 16))
                _ = try drop(
                    recordings: "SELECT number FROM recordings WHERE app = '\(app.text)' ORDER BY time, number", limit: share)
            }
        }
        try shrink()
    }

    /// - Parameter numbers: selects them.
    private func drop(recordings numbers: String, limit: Int64 = dropped) throws(SQLiteError) -> Int64 {
        try delete("number IN (\(numbers) LIMIT \(limit))") { _ in }
    }

    /// Deletes the recordings that a condition selects, and returns how many.
    private func delete(_ condition: String, _ bind: (SQLiteStatement) -> Void) throws(SQLiteError) -> Int64 {
        var gone: [(app: String, bytes: Int64)] = []
        let delete = try SQLiteStatement(connection, "DELETE FROM recordings WHERE \(condition) RETURNING app, size")
        bind(delete)
        try transact { () throws(SQLiteError) in
            gone = try delete.all { (row) throws(SQLiteError) in (row.text(0), row.int64(1)) }
        }
        for one in gone { recordings.add(one.app, rows: -1, bytes: -one.bytes) }
        return Int64(gone.count)
    }

    /// Deletes what is recorded of a device, and overwrites it in the file.
    func forget(_ device: DeviceID, of app: AppID, evidenceOnly: Bool) throws(SQLiteError) -> UInt64 {
        guard recordings.hasTable else { return 0 }
        var count: Int64 = 0
        try connection.overwritingDeleted { () throws(SQLiteError) in
            guard evidenceOnly else {
                count = try delete("device = ?1 AND app = ?2") { statement in
                    statement.bind(1, device.bytes)
                    statement.bind(2, app.text)
                }
                return
            }
            count = try deleteEvidence(of: device, app)
        }
        // The log has the pages as they were before.
        if count > 0 { try connection.emptyLog() }
        return UInt64(clamping: count)
    }

    private func deleteEvidence(of device: DeviceID, _ app: AppID) throws(SQLiteError) -> Int64 {
        var freed: [Int64] = []
        let select = try SQLiteStatement(
            connection,
            "SELECT length(key) + length(evidence) FROM recordings WHERE device = ?1 AND app = ?2 AND evidence IS NOT NULL")
        let update = try SQLiteStatement(
            connection,
            """
            UPDATE recordings SET size = size - length(key) - length(evidence), key = NULL, evidence = NULL
            WHERE device = ?1 AND app = ?2 AND evidence IS NOT NULL
            """)
        for statement in [select, update] {
            statement.bind(1, device.bytes)
            statement.bind(2, app.text)
        }
        try transact { () throws(SQLiteError) in
            freed = try select.all { (row) throws(SQLiteError) in row.int64(0) }
            try update.run()
        }
        recordings.add(app.text, rows: 0, bytes: -freed.reduce(0, +))
        return Int64(freed.count)
    }
}

// MARK: Reading

extension VerdictRecordFile {
    /// Rows that one page looks at, at most.
    private static let looked = 5000

    func page(_ listing: RecordingListing) throws(SQLiteError) -> RecordingPage {
        guard recordings.hasTable else { return RecordingPage(recordings: [], next: nil) }
        let start = listing.after ?? VerdictRecordPosition(time: listing.since ?? .distantPast, number: -1)
        let select = try SQLiteStatement(
            connection,
            """
            SELECT number, time, app, recording, key, evidence FROM recordings
            INDEXED BY \(listing.app == nil ? "recordings_by_time" : "recordings_by_app")
            WHERE \(listing.app == nil ? "" : "app = ?4 AND ") (time, number) > (?1, ?2) AND time < ?3 ORDER BY time, number
            """)
        select.bind(1, start.time.unixMilliseconds)
        select.bind(2, start.number)
        select.bind(3, (listing.until ?? .distantFuture).unixMilliseconds)
        if let app = listing.app { select.bind(4, app.text) }
        var (found, last, count, bytes): ([RecordingContent], VerdictRecordPosition?, Int, Int) = ([], nil, 0, 0)
        var isEnded = true
        try select.forEach { (row) throws(SQLiteError) in
            guard found.count < listing.limit, count < Self.looked else {
                isEnded = false
                return false
            }
            if AppID(row.text(2)).map(listing.admits) ?? false {
                let evidence = row.isNull(5) ? nil : SealedEvidence(key: row.bytes(4), sealed: row.bytes(5))
                let content = RecordingContent(recording: row.bytes(3), evidence: evidence)
                // The page fits into one answer.
                guard found.isEmpty || bytes + content.size <= RecordingContent.limit else {
                    isEnded = false
                    return false
                }
                bytes += content.size
                found.append(content)
            }
            count += 1
            last = VerdictRecordPosition(time: Timestamp(unixMilliseconds: row.int64(1)), number: row.int64(0))
            return true
        }
        return RecordingPage(recordings: found, next: isEnded ? nil : last ?? listing.after)
    }

    func count(_ listing: RecordingListing) throws(SQLiteError) -> UInt64 {
        guard recordings.hasTable else { return 0 }
        let names = listing.app.map { [$0.text] } ?? Array(recordings.apps.keys)
        var sum: Int64 = 0
        let count = try SQLiteStatement(
            connection,
            "SELECT count(*) FROM recordings INDEXED BY recordings_by_app WHERE app = ?1 AND time >= ?2 AND time < ?3")
        for name in names where AppID(name).map(listing.admits) ?? false {
            count.bind(1, name)
            count.bind(2, (listing.since ?? .distantPast).unixMilliseconds)
            count.bind(3, (listing.until ?? .distantFuture).unixMilliseconds)
            sum += try count.first { (row) throws(SQLiteError) in row.int64(0) } ?? 0
        }
        return UInt64(clamping: sum)
    }
}
