import AssayCore

/// Reads the audit log.
struct AuditTable {
    let connection: SQLiteConnection

    /// The claims beside a record.
    func claims(of number: Int64) throws(SQLiteFailure) -> AuditClaims? {
        let select = try SQLiteStatement(connection, "SELECT salt, claims FROM audit_claims WHERE number = ?1")
        select.bind(1, number)
        return try select.first { AuditClaims(salt: $0.bytes(0), claims: $0.bytes(1)) }
    }

    /// Rows in the order of their numbers, from `number` on, with where the log begins and ends: one statement, so that all
    /// of it is of one instant.
    func page(from number: Int64, limit: Int) throws(SQLiteFailure) -> AuditPage {
        let select = try SQLiteStatement(
            connection,
            """
            SELECT audit_start.number, audit_start.head, (SELECT max(number) FROM audit),
                page.number, page.time, page.record, page.head
            FROM audit_start LEFT JOIN
                (SELECT * FROM audit WHERE number >= ?1 ORDER BY number LIMIT ?2) AS page ON true
            ORDER BY page.number
            """)
        select.bind(1, number)
        select.bind(2, Int64(max(0, min(limit, AuditPage.limit))))
        let found = try select.all { row in
            (
                start: AuditChain(number: row.int64(0), head: row.bytes(1)), last: row.isNull(2) ? row.int64(0) : row.int64(2),
                row: row.isNull(3)
                    ? nil
                    : AuditRow(
                        number: row.int64(3), time: Timestamp(unixMilliseconds: row.int64(4)), record: row.bytes(5),
                        head: row.bytes(6))
            )
        }
        guard let first = found.first else { throw .damaged("the audit log does not say where it begins") }
        return AuditPage(start: first.start, last: first.last, rows: found.compactMap(\.row))
    }
}
