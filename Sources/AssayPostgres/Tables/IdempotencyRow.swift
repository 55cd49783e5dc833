import AssayCore

/// A stored verdict under its idempotency key.
struct IdempotencyRow {
    let request: [UInt8]
    let verdict: [UInt8]
    let expiry: Timestamp
    /// Why the verdict is void: its device was blocked or forgotten since, or its certificate revoked. `nil` if it is not void.
    let objection: ReasonCode?

    init(request: [UInt8], verdict: [UInt8], expiry: Timestamp, objection: ReasonCode?) {
        (self.request, self.verdict, self.expiry, self.objection) = (request, verdict, expiry, objection)
    }

    /// The query without its WHERE clause. It reads the present state of device and certificate.
    static let selection = """
        SELECT i.key, i.request, i.verdict, i.expiry, i.device, d.blocked, c.revoked_at
        FROM idempotency i LEFT JOIN counters d ON d.device = i.device LEFT JOIN certificates c ON c.number = i.certificate
        """

    init(_ row: PostgresRow) {
        let isOnRecord = row.isNull(4) || !row.isNull(5)
        self.init(
            request: row.bytes(1), verdict: row.bytes(2), expiry: Timestamp(unixMilliseconds: row.int64(3)),
            objection: !isOnRecord ? .unknownDevice : row.int64(5) != 0 ? .deviceBlocked : row.isNull(6) ? nil : .revoked)
    }
}

/// Reads and removes stored verdicts.
struct IdempotencyTable {
    let database: Database

    /// The most rows of one deletion, so that commits run between deletions.
    static let deletionLimit: Int64 = 1000

    static func verdict(_ key: [UInt8], now: Timestamp) -> Lookup<StoredVerdict?> {
        let statement = SQLStatement(unexpired, .bytes(key), .int8(now.unixMilliseconds))
        return Lookup(statement) { rows throws(PostgresError) in
            let row = try rows.first { IdempotencyRow($0) }
            return row.map { StoredVerdict(request: $0.request, verdict: $0.verdict, objection: $0.objection) }
        }
    }

    private static let unexpired = IdempotencyRow.selection + " WHERE i.key = $1 AND i.expiry > $2"

    /// The keys of the verdicts about a device. It scans the whole table, so a reader runs it.
    func keys(about device: DeviceID) throws(PostgresError) -> [[UInt8]] {
        try database.query("SELECT key FROM idempotency WHERE device = $1", .bytes(device.bytes)).all { $0.bytes(0) }
    }

    /// Removes verdicts about a device.
    func remove(_ keys: [[UInt8]], about device: DeviceID) throws(PostgresError) {
        _ = try database.query(
            "DELETE FROM idempotency WHERE key = ANY ($1::bytea[]) AND device = $2",
            .bytesList(keys.sorted { $0.lexicographicallyPrecedes($1) }), .bytes(device.bytes))
    }

    /// Removes verdicts that have expired, a bounded number. True if there may be more.
    func purge(now: Timestamp) throws(PostgresError) -> Bool {
        try delete("WHERE expiry <= $2", .int8(now.unixMilliseconds)) >= Self.deletionLimit
    }

    /// Removes at most `count` of the oldest verdicts, and at most `deletionLimit`. Returns the number.
    func removeOldest(_ count: Int64) throws(PostgresError) -> Int64 {
        try delete("WHERE $2::bigint > 0", .int8(count), limit: count)
    }

    /// Rows that a commit holds are left for the next time: they are not waited for, because commits lock in another order.
    private func delete(
        _ condition: String, _ parameter: SQLValue, limit: Int64 = deletionLimit
    ) throws(PostgresError) -> Int64 {
        let deleted = try database.query(
            """
            DELETE FROM idempotency WHERE key IN
                (SELECT key FROM idempotency \(condition) ORDER BY expiry, number LIMIT $1 FOR UPDATE SKIP LOCKED)
            """, .int8(min(limit, Self.deletionLimit)), parameter)
        return Int64(deleted.affected)
    }

    func count() throws(PostgresError) -> Int64 {
        try database.scan("SELECT count(*) FROM idempotency").first { $0.int64(0) } ?? 0
    }
}
