import AssayCore

/// The stored verdicts under their idempotency keys.
final class IdempotencyTable {
    struct Row {
        let request: [UInt8]
        let verdict: [UInt8]
        /// Why the verdict is void: its device was blocked or forgotten since, or its certificate revoked. `nil` if it is not void.
        let objection: ReasonCode?
    }

    /// The most rows of one purge, so that commits run between purges.
    static let purgeLimit = 1000

    private let connection: SQLiteConnection
    private let select: SQLiteStatement
    private let insert: SQLiteStatement
    private let purge: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        select = try SQLiteStatement(connection, Self.selection)
        insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO idempotency (key, request, expiry, device, verdict, certificate) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (key) DO UPDATE SET
                request = excluded.request, expiry = excluded.expiry, device = excluded.device, verdict = excluded.verdict,
                certificate = excluded.certificate
            """)
        purge = try SQLiteStatement(
            connection,
            """
            DELETE FROM idempotency WHERE number IN
                (SELECT number FROM idempotency WHERE expiry <= ?1 ORDER BY expiry LIMIT \(Self.purgeLimit))
            """)
    }

    /// The query; ?1 is the key, ?2 the time. It reads the present state of device and certificate.
    static let selection = """
        SELECT request, verdict, device, (SELECT blocked FROM counters WHERE counters.device = idempotency.device),
            (SELECT revoked_at FROM certificates WHERE certificates.number = idempotency.certificate)
        FROM idempotency WHERE key = ?1 AND expiry > ?2
        """

    static func row(_ row: SQLiteStatement) -> Row {
        let isOnRecord = row.isNull(2) || !row.isNull(3)
        return Row(
            request: row.bytes(0), verdict: row.bytes(1),
            objection: !isOnRecord ? .unknownDevice : row.int64(3) != 0 ? .deviceBlocked : row.isNull(4) ? nil : .revoked)
    }

    func row(_ key: [UInt8], now: Timestamp) throws(SQLiteError) -> Row? {
        select.bind(1, key)
        select.bind(2, now.unixMilliseconds)
        return try select.first(Self.row)
    }

    /// Stores a verdict, and replaces an expired one.
    ///
    /// - Parameter certificate: the number of the one whose revocation makes it void.
    func keep(_ verdict: LedgerEntry.Idempotency, certificate: Int64?) throws(SQLiteError) {
        insert.bind(1, verdict.key)
        insert.bind(2, verdict.request)
        insert.bind(3, verdict.expiry.unixMilliseconds)
        insert.bind(4, verdict.device?.bytes)
        insert.bind(5, verdict.verdict)
        insert.bind(6, certificate)
        try insert.run()
    }

    /// The row numbers of the verdicts about a device. It scans the whole table, so a reader runs it.
    static func numbers(about device: DeviceID, _ connection: SQLiteConnection) throws(SQLiteError) -> [Int64] {
        let scan = try SQLiteStatement(connection, "SELECT number FROM idempotency WHERE device = ?1")
        scan.bind(1, device.bytes)
        return try scan.all { $0.int64(0) }
    }

    /// Removes verdicts about a device by their row numbers.
    func remove(_ numbers: some Sequence<Int64>, about device: DeviceID) throws(SQLiteError) {
        let delete = try SQLiteStatement(connection, "DELETE FROM idempotency WHERE number = ?1 AND device = ?2")
        try connection.overwritingDeleted { () throws(SQLiteError) in
            for number in numbers {
                delete.bind(1, number)
                delete.bind(2, device.bytes)
                try delete.run()
            }
        }
    }

    /// Removes at most `purgeLimit` rows that have expired at `now`. True if there may be more.
    func purge(now: Timestamp) throws(SQLiteError) -> Bool {
        purge.bind(1, now.unixMilliseconds)
        try purge.run()
        return connection.changes >= Self.purgeLimit
    }

    /// Removes at most `purgeLimit` of the oldest rows beyond `limit`, and returns the number. Rows are counted by the range of their
    /// numbers: expired rows leave at the front too, so there are few gaps.
    func trim(to limit: Int64) throws(SQLiteError) -> Int64 {
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
