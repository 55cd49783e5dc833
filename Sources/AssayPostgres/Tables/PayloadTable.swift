import AssayCore

/// The verdicts by payload.
enum PayloadTable {
    /// The most rows of one deletion, so that commits run between deletions. In the statement, so that the server plans for so many.
    private static let deletionLimit = 1000

    /// Adds verdicts, numbered in their order.
    static func insertion(of verdicts: [IndexedVerdict]) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO payload_verdicts (key, device, time, kept_until, content)
            SELECT e.* FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bytea[]) AS e
            """,
            .bytesList(verdicts.map(\.key)), .bytesList(verdicts.map { $0.device?.bytes }),
            .int8s(verdicts.map(\.time.unixMilliseconds)), .int8s(verdicts.map(\.until.unixMilliseconds)),
            .bytesList(verdicts.map(\.content)))
    }

    static func verdicts(onPayload key: [UInt8], at now: Timestamp, limit: Int) -> Lookup<[IndexedVerdict]> {
        let statement = SQLStatement(
            """
            SELECT key, device, time, kept_until, content FROM payload_verdicts
            WHERE key = $1 AND kept_until >= $2 ORDER BY key DESC, time DESC, number DESC LIMIT $3
            """, .bytes(key), .int8(now.unixMilliseconds), .int8(Int64(max(0, limit))))
        return Lookup(statement) { rows throws(PostgresError) in
            try rows.all { row throws(PostgresError) in
                let device = row.isNull(1) ? nil : DeviceID(bytes: row.bytes(1))
                guard row.isNull(1) || device != nil else {
                    throw .damaged("a verdict by payload is about a device whose name is none")
                }
                return IndexedVerdict(
                    key: row.bytes(0), device: device, time: Timestamp(unixMilliseconds: row.int64(2)),
                    until: Timestamp(unixMilliseconds: row.int64(3)), content: row.bytes(4))
            }
        }
    }

    /// Removes verdicts about a device, a bounded number. True if there may be more.
    static func remove(about device: DeviceID, _ database: Database) throws(PostgresError) -> Bool {
        try delete("device = $1 AND device IS NOT NULL", .bytes(device.bytes), database)
    }

    /// Removes verdicts that were kept until before `now`, a bounded number. True if there may be more.
    static func purge(now: Timestamp, _ database: Database) throws(PostgresError) -> Bool {
        try delete("kept_until < $1 ORDER BY kept_until", .int8(now.unixMilliseconds), database)
    }

    private static func delete(
        _ condition: String, _ parameter: SQLValue, _ database: Database
    ) throws(PostgresError) -> Bool {
        let deleted = try database.query(
            """
            DELETE FROM payload_verdicts WHERE (key, time, number) IN
                (SELECT key, time, number FROM payload_verdicts WHERE \(condition) LIMIT \(deletionLimit))
            """, parameter)
        return deleted.affected >= deletionLimit
    }
}
