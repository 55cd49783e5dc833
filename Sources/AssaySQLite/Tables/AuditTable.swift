import AssayCore

/// Appends to the audit log, and drops rows from its front. The chain continues where the last process ended it.
final class AuditTable {
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let claims: AuditClaimsTable
    /// The chain after the last row.
    private(set) var chain: AuditChain

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        let last = try SQLiteStatement(
            connection,
            """
            SELECT coalesce(last.number, audit_start.number), coalesce(last.head, audit_start.head)
            FROM audit_start LEFT JOIN (SELECT number, head FROM audit ORDER BY number DESC LIMIT 1) AS last ON true
            """
        ).first { AuditChain(number: $0.int64(0), head: $0.bytes(1)) }
        guard let last else { throw .damaged("the audit log does not say where it begins") }
        chain = last
        claims = try AuditClaimsTable(connection)
        insert = try SQLiteStatement(connection, "INSERT INTO audit VALUES (?1, ?2, ?3, ?4)")
    }

    /// The chain in memory is ahead of the transaction. If that fails, the session drops or reloads this table.
    func append(_ entry: LedgerEntry) throws(SQLiteError) {
        try add(entry.audit.bytes, at: entry.time)
        if let kept = entry.auditClaims { try claims.keep(kept, of: chain.number, entry.audit) }
    }

    /// Whether the log contains an earlier state of the chain. That of an older copy, or of another ledger, does not.
    func contains(_ earlier: AuditChain) throws(SQLiteError) -> Bool {
        let select = try SQLiteStatement(
            connection,
            """
            SELECT 1 FROM audit WHERE number = ?1 AND head = ?2
            UNION ALL SELECT 1 FROM audit_start WHERE number > ?1 OR (number = ?1 AND head = ?2)
            """)
        select.bind(1, earlier.number)
        select.bind(2, earlier.head)
        return try select.exists()
    }

    /// Appends the record of a change that the same transaction makes.
    func append(_ change: AuditChange, at time: Timestamp) throws(SQLiteError) { try add(change.bytes, at: time) }

    private func add(_ record: [UInt8], at time: Timestamp) throws(SQLiteError) {
        chain.append(record, at: time)
        insert.bind(1, chain.number)
        insert.bind(2, time.unixMilliseconds)
        insert.bind(3, record)
        insert.bind(4, chain.head)
        try insert.run()
    }

    /// Deletes a bounded number of a device's claims, records that, and returns the number.
    func forgetClaims(
        of device: DeviceID, _ app: AppID, _ context: ChangeContext
    ) throws(SQLiteError) -> Int64 {
        let count = try claims.forget(device, app)
        if count > 0 { try append(.forgetClaims(of: device, app: app, count: count, context), at: context.time) }
        return count
    }

    /// Drops the rows up to `start`; the log then begins after it. Rows are never added at the front, so the chain that another
    /// transaction verified still holds. Rare, so its statements are not kept.
    func drop(upTo start: AuditChain) throws(SQLiteError) {
        let update = try SQLiteStatement(connection, "UPDATE audit_start SET number = ?1, head = ?2 WHERE number < ?1")
        update.bind(1, start.number)
        update.bind(2, start.head)
        try update.run()
        // Another process has dropped as many, or more.
        guard connection.changes == 1 else { return }
        let delete = try SQLiteStatement(connection, "DELETE FROM audit WHERE number <= ?1")
        delete.bind(1, start.number)
        try delete.run()
        try claims.drop(upTo: start.number)
    }
}

/// Reads pages of the audit log, and the claims beside it.
struct AuditScan {
    let connection: SQLiteConnection

    /// The claims beside a record; `nil` if there are none.
    func claims(of number: Int64) throws(SQLiteError) -> AuditClaims? {
        let select = try SQLiteStatement(connection, "SELECT salt, claims FROM audit_claims WHERE number = ?1")
        select.bind(1, number)
        return try select.first { AuditClaims(salt: $0.bytes(0), claims: $0.bytes(1)) }
    }

    /// Rows in the order of their numbers, from `number` on, with start and end of the log. One statement, so that all is of one
    /// instant.
    func page(from number: Int64, limit: Int) throws(SQLiteError) -> AuditPage {
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

/// The claims beside audit records, which can be deleted.
final class AuditClaimsTable {
    /// The most rows of one deletion, so that commits run between deletions.
    static let forgetLimit = 1000

    private let connection: SQLiteConnection
    private let insert: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        insert = try SQLiteStatement(connection, "INSERT INTO audit_claims VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    func keep(_ claims: AuditClaims, of number: Int64, _ record: AuditRecord) throws(SQLiteError) {
        insert.bind(1, number)
        insert.bind(2, record.device?.bytes)
        insert.bind(3, record.app.text)
        insert.bind(4, claims.salt)
        insert.bind(5, claims.claims)
        try insert.run()
    }

    /// Deletes at most `forgetLimit` of a device's claims, and returns the number.
    func forget(_ device: DeviceID, _ app: AppID) throws(SQLiteError) -> Int64 {
        try erasing { () throws(SQLiteError) in
            let delete = try SQLiteStatement(
                connection,
                """
                DELETE FROM audit_claims WHERE number IN
                    (SELECT number FROM audit_claims WHERE device = ?1 AND app = ?2 LIMIT \(Self.forgetLimit))
                """)
            delete.bind(1, device.bytes)
            delete.bind(2, app.text)
            try delete.run()
            return Int64(connection.changes)
        }
    }

    /// Deletes the claims beside the records up to a number.
    func drop(upTo number: Int64) throws(SQLiteError) {
        try erasing { () throws(SQLiteError) in
            let delete = try SQLiteStatement(connection, "DELETE FROM audit_claims WHERE number <= ?1")
            delete.bind(1, number)
            try delete.run()
        }
    }

    /// Overwrites everything that `body` deletes with zeros.
    private func erasing<T>(_ body: () throws(SQLiteError) -> T) throws(SQLiteError) -> T {
        try connection.execute("PRAGMA secure_delete=ON")
        defer { try? connection.execute("PRAGMA secure_delete=FAST") }
        return try body()
    }
}
