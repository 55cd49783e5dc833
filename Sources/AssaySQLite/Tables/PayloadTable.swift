import AssayCore

/// The verdicts by payload.
final class PayloadTable {
    /// The most rows of one purge, or of one removal, so that commits run between them.
    static let purgeLimit = 1000

    private let connection: SQLiteConnection
    private let insert: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        insert = try SQLiteStatement(
            connection, "INSERT INTO payload_verdicts (key, device, time, kept_until, content) VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    /// ?1 the key, ?2 the time, ?3 the most rows.
    static let finding = """
        SELECT key, device, time, kept_until, content FROM payload_verdicts
        WHERE key = ?1 AND kept_until >= ?2 ORDER BY time DESC, number DESC LIMIT ?3
        """

    /// ?1 the time.
    static let purging = """
        DELETE FROM payload_verdicts WHERE number IN
            (SELECT number FROM payload_verdicts WHERE kept_until < ?1 ORDER BY kept_until LIMIT \(purgeLimit))
        """

    /// ?1 the device. SQLite uses the partial index only if the query repeats its condition.
    static let removing = """
        DELETE FROM payload_verdicts WHERE number IN
            (SELECT number FROM payload_verdicts WHERE device = ?1 AND device IS NOT NULL LIMIT \(purgeLimit))
        """

    func add(_ verdict: IndexedVerdict) throws(SQLiteError) {
        insert.bind(1, verdict.key)
        insert.bind(2, verdict.device?.bytes)
        insert.bind(3, verdict.time.unixMilliseconds)
        insert.bind(4, verdict.until.unixMilliseconds)
        insert.bind(5, verdict.content)
        try insert.run()
    }

    /// Removes at most `purgeLimit` rows about a device, and overwrites their bytes. True if there may be more.
    func remove(about device: DeviceID) throws(SQLiteError) -> Bool {
        let delete = try SQLiteStatement(connection, Self.removing)
        delete.bind(1, device.bytes)
        try connection.overwritingDeleted { () throws(SQLiteError) in try delete.run() }
        return connection.changes >= Self.purgeLimit
    }

    /// Removes at most `purgeLimit` rows that were kept until before `now`. True if there may be more.
    func purge(now: Timestamp) throws(SQLiteError) -> Bool {
        let purge = try SQLiteStatement(connection, Self.purging)
        purge.bind(1, now.unixMilliseconds)
        try purge.run()
        return connection.changes >= Self.purgeLimit
    }

    /// Rare, so the statement is not kept.
    static func verdicts(
        onPayload key: [UInt8], at now: Timestamp, limit: Int, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> [IndexedVerdict] {
        let select = try SQLiteStatement(connection, finding)
        select.bind(1, key)
        select.bind(2, now.unixMilliseconds)
        select.bind(3, Int64(max(0, limit)))
        return try select.all { row throws(SQLiteError) in
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
