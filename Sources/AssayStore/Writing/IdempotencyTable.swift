import AssayCore

/// Verdicts kept for callers who ask again.
final class IdempotencyTable {
    struct Row {
        let request: [UInt8]
        let verdict: [UInt8]
        let deviceBlocked: Bool
    }

    /// Rows that one purge takes, so that commits get their turn between.
    static let purgeLimit = 1000

    private let connection: SQLiteConnection
    private let select: SQLiteStatement
    private let insert: SQLiteStatement
    private let purge: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        select = try SQLiteStatement(connection, Self.selection)
        insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO idempotency (key, request, expiry, device, verdict) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (key) DO UPDATE SET
                request = excluded.request, expiry = excluded.expiry, device = excluded.device, verdict = excluded.verdict
            """)
        purge = try SQLiteStatement(
            connection,
            """
            DELETE FROM idempotency WHERE number IN
                (SELECT number FROM idempotency WHERE expiry <= ?1 ORDER BY expiry LIMIT \(Self.purgeLimit))
            """)
    }

    /// ?1 the key, ?2 now. Whether the device is blocked is asked today, not when the verdict was reached.
    static let selection = """
        SELECT request, verdict, EXISTS (SELECT 1 FROM counters WHERE counters.device = idempotency.device AND blocked)
        FROM idempotency WHERE key = ?1 AND expiry > ?2
        """

    static func row(_ row: SQLiteStatement) -> Row {
        Row(request: row.bytes(0), verdict: row.bytes(1), deviceBlocked: row.int64(2) != 0)
    }

    func row(_ key: [UInt8], now: Timestamp) throws(SQLiteFailure) -> Row? {
        select.bind(1, key)
        select.bind(2, now.unixMilliseconds)
        return try select.first(Self.row)
    }

    /// Keeps a verdict, in place of one that has expired.
    func keep(_ verdict: LedgerEntry.Idempotency) throws(SQLiteFailure) {
        insert.bind(1, verdict.key)
        insert.bind(2, verdict.request)
        insert.bind(3, verdict.expiry.unixMilliseconds)
        insert.bind(4, verdict.device?.bytes)
        insert.bind(5, verdict.verdict)
        try insert.run()
    }

    /// Forgets some of what has expired at `now`. True if there may be more.
    func purge(now: Timestamp) throws(SQLiteFailure) -> Bool {
        purge.bind(1, now.unixMilliseconds)
        try purge.run()
        return connection.changes >= Self.purgeLimit
    }

    /// Forgets some of the rows that were kept first, so that at most `limit` are left, and returns how many. Rows are
    /// counted by the span of their numbers: what has expired leaves at the front too, so there are few gaps.
    func trim(to limit: Int64) throws(SQLiteFailure) -> Int64 {
        let trim = try SQLiteStatement(
            connection,
            """
            DELETE FROM idempotency WHERE number IN
                (SELECT number FROM idempotency WHERE number <= (SELECT max(number) FROM idempotency) - ?1
                ORDER BY number LIMIT \(Self.purgeLimit))
            """)
        trim.bind(1, limit)
        try trim.run()
        return Int64(connection.changes)
    }
}
