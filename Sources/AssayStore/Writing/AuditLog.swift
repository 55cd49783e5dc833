import AssayCore

/// The append-only log of what was accepted. The chain goes on where the last process left it.
final class AuditLog {
    private let insert: SQLiteStatement
    private var number: Int64
    private var head: [UInt8]

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        let last = try SQLiteStatement(connection, "SELECT number, head FROM audit ORDER BY number DESC LIMIT 1")
            .first { ($0.int64(0), $0.bytes(1)) }
        (number, head) = last ?? (0, AuditRecord.emptyHead)
        insert = try SQLiteStatement(
            connection, "INSERT INTO audit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")
    }

    /// In memory the chain runs ahead of the transaction: if that fails, this log is thrown away with its session.
    func append(_ record: AuditRecord, at time: Timestamp) throws(SQLiteFailure) {
        number += 1
        head = record.head(after: head, number: number, time: time)
        insert.bind(1, number)
        insert.bind(2, time.unixMilliseconds)
        insert.bind(3, record.requestID)
        insert.bind(4, record.caller)
        insert.bind(5, record.app.text)
        insert.bind(6, Int64(record.purpose.rawValue))
        insert.bind(7, record.device?.bytes)
        insert.bind(8, Int64(record.assurance.rawValue))
        insert.bind(9, record.evidenceDigest)
        insert.bind(10, record.policyDigest)
        insert.bind(11, record.simulated ? 1 : 0)
        insert.bind(12, head)
        try insert.run()
    }
}
