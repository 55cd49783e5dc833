import AssayCore

/// Reads the audit chain of one writer.
struct AuditTable {
    let database: Database
    let writer: Int64
    let name: AuditWriter

    init(database: Database, writer: Int64, name: AuditWriter) {
        (self.database, self.writer, self.name) = (database, writer, name)
    }

    /// `nil` if the ledger has no such writer.
    init?(of name: AuditWriter, _ database: Database) throws(PostgresError) {
        // No writer of a database is without a name, whatever its row says.
        guard name.isNamed else { return nil }
        let found = try database.query("SELECT writer FROM writers WHERE name = $1", .text(name.name)).first { $0.int64(0) }
        guard let found else { return nil }
        self.init(database: database, writer: found, name: name)
    }

    /// Rows in the order of their numbers, from `number` on, with start and end of the log. One statement, so that all is of one
    /// instant.
    func page(from number: Int64, limit: Int) throws(PostgresError) -> AuditPage {
        let found = try database.query(
            """
            SELECT w.start_number, w.start_head,
                coalesce((SELECT max(number) FROM audit WHERE writer = $1), w.start_number),
                page.number, page.time, page.record, page.head
            FROM writers w LEFT JOIN
                (SELECT * FROM audit WHERE writer = $1 AND number >= $2 ORDER BY number LIMIT $3) AS page ON true
            WHERE w.writer = $1
            ORDER BY page.number
            """, .int8(writer), .int8(number), .int8(Int64(max(0, min(limit, AuditPage.limit))))
        ).all { row in
            (
                start: AuditChain(number: row.int64(0), head: row.bytes(1)), last: row.int64(2),
                row: row.isNull(3)
                    ? nil
                    : AuditRow(
                        number: row.int64(3), time: Timestamp(unixMilliseconds: row.int64(4)), record: row.bytes(5),
                        head: row.bytes(6))
            )
        }
        guard let first = found.first else { throw .damaged("the audit log does not say where it begins") }
        return AuditPage(of: name, start: first.start, last: first.last, rows: found.compactMap(\.row))
    }

    /// The claims beside a record; `nil` if there are none.
    func claims(of number: Int64) throws(PostgresError) -> AuditClaims? {
        try database.query(
            "SELECT salt, claims FROM audit_claims WHERE writer = $1 AND number = $2", .int8(writer), .int8(number)
        )
        .first { AuditClaims(salt: $0.bytes(0), claims: $0.bytes(1)) }
    }

    /// The most claims of one deletion, so that commits run between deletions.
    static let forgetLimit: Int64 = 1000

    /// Deletes at most `forgetLimit` of a device's claims, of all writers, and returns the number.
    func forgetClaims(of device: DeviceID, _ app: AppID) throws(PostgresError) -> Int64 {
        let deleted = try database.query(
            """
            DELETE FROM audit_claims WHERE (writer, number) IN
                (SELECT writer, number FROM audit_claims WHERE device = $1 AND app = $2 ORDER BY writer, number LIMIT $3)
            """, .bytes(device.bytes), .text(app.text), .int8(Self.forgetLimit))
        return Int64(deleted.affected)
    }

    /// Drops the rows up to `start`; the log then begins after it. The transaction holds the writer's row. False if as many, or more, were
    /// dropped before.
    func drop(upTo start: AuditChain) throws(PostgresError) -> Bool {
        let moved = try database.query(
            "UPDATE writers SET start_number = $2, start_head = $3 WHERE writer = $1 AND start_number < $2", .int8(writer),
            .int8(start.number), .bytes(start.head))
        guard moved.affected == 1 else { return false }
        _ = try database.run([
            SQLStatement("DELETE FROM audit WHERE writer = $1 AND number <= $2", .int8(writer), .int8(start.number)),
            SQLStatement("DELETE FROM audit_claims WHERE writer = $1 AND number <= $2", .int8(writer), .int8(start.number)),
        ])
        return true
    }
}
