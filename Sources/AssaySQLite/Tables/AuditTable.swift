import AssayCore

/// The append-only log of what was accepted, and of what operators changed. The chain goes on where the last process left it.
final class AuditAppender {
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let claims: AuditClaimsTable
    /// Where the log ends.
    private(set) var chain: AuditChain

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
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

    /// In memory the chain runs ahead of the transaction: if that fails, this log is thrown away with its session.
    func append(_ entry: LedgerEntry) throws(SQLiteFailure) {
        try add(entry.audit.bytes, at: entry.time)
        if let kept = entry.auditClaims { try claims.keep(kept, of: chain.number, entry.audit) }
    }

    /// Whether the log came through here: an older state of the ledger, or another ledger, did not.
    func contains(_ earlier: AuditChain) throws(SQLiteFailure) -> Bool {
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

    /// As above, for a change in the same transaction.
    func append(_ change: AuditChange, at time: Timestamp) throws(SQLiteFailure) { try add(change.bytes, at: time) }

    private func add(_ record: [UInt8], at time: Timestamp) throws(SQLiteFailure) {
        chain.append(record, at: time)
        insert.bind(1, chain.number)
        insert.bind(2, time.unixMilliseconds)
        insert.bind(3, record)
        insert.bind(4, chain.head)
        try insert.run()
    }

    /// Deletes some of a device's claims, records that, and returns how many.
    func forgetClaims(
        of device: DeviceID, _ app: AppID, _ context: ChangeContext
    ) throws(SQLiteFailure) -> Int64 {
        let count = try claims.forget(device, app)
        if count > 0 { try append(.forgetClaims(of: device, app: app, count: count, context), at: context.time) }
        return count
    }

    /// Drops the rows up to a number; the log then begins after it. Rows are never added at the front, so what was read
    /// of them in another transaction is still so. Rare: nothing is kept prepared.
    func drop(upTo start: AuditChain) throws(SQLiteFailure) {
        let update = try SQLiteStatement(connection, "UPDATE audit_start SET number = ?1, head = ?2 WHERE number < ?1")
        update.bind(1, start.number)
        update.bind(2, start.head)
        try update.run()
        // Another process was here first, and further.
        guard connection.changes == 1 else { return }
        let delete = try SQLiteStatement(connection, "DELETE FROM audit WHERE number <= ?1")
        delete.bind(1, start.number)
        try delete.run()
        try claims.drop(upTo: start.number)
    }
}
