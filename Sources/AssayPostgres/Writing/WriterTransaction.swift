import AssayCore
import AssayLedger

/// A transaction of the writer: what it appends to the audit chain, and what it changes of devices that may be cached.
final class WriterTransaction {
    let session: WriterSession
    let plainGroups: PlainGroupAttempts
    var database: Database { session.database }
    /// The chain with the records of this transaction.
    private(set) var chain: AuditChain
    private var rows: [(time: Timestamp, record: [UInt8], head: [UInt8])] = []
    private var claims: [(number: Int64, device: DeviceID?, app: AppID, claims: AuditClaims)] = []
    private var lastVerdict: (number: Int64, time: Timestamp)?
    private(set) var deviceChanges: [DeviceChange] = []
    /// The number of devices that were added, less those that were removed.
    var addedDevices: Int64 = 0

    /// Whether a standby confirms commits, if that has changed.
    private(set) var changedStandby: Bool?

    init(_ session: WriterSession, _ plainGroups: PlainGroupAttempts) {
        (self.session, self.plainGroups, chain) = (session, plainGroups, session.chain)
    }

    /// Begins the transaction on the server.
    func begin() throws(PostgresError) { try check(try database.run(session.beginning)) }

    /// Looks at the answers to the beginning.
    func check(_ answers: [PostgresRows]) throws(PostgresError) { changedStandby = try session.check(answers) }

    func note(_ change: DeviceChange) { deviceChanges.append(change) }

    // MARK: The audit chain

    func append(_ entry: LedgerEntry) {
        add(entry.audit.bytes, at: entry.time)
        lastVerdict = (chain.number, entry.time)
        if let kept = entry.auditClaims { claims.append((chain.number, entry.audit.device, entry.audit.app, kept)) }
    }

    /// Appends the record of a change that the same transaction makes.
    func append(_ change: AuditChange, at time: Timestamp) { add(change.bytes, at: time) }

    private func add(_ record: [UInt8], at time: Timestamp) {
        chain.append(record, at: time)
        rows.append((time, record, chain.head))
    }

    // MARK: The end

    /// Commits, with `statements` before it in the same trip, and returns their results.
    func commit(after statements: [SQLStatement] = []) throws(PostgresError) -> [PostgresRows] {
        try database.connection.commit(after: statements + ending, within: database.timeout)
    }

    /// The records, and the writer's row, which is changed in each transaction.
    private var ending: [SQLStatement] {
        var statements: [SQLStatement] = []
        if !rows.isEmpty {
            let first = chain.number - Int64(rows.count) + 1
            statements.append(
                SQLStatement(
                    """
                    INSERT INTO audit (writer, number, time, record, head)
                    SELECT $1::bigint, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bytea[]), unnest($5::bytea[])
                    """,
                    .int8(session.writer), .int8s((first...chain.number).map { $0 }), .int8s(rows.map(\.time.unixMilliseconds)),
                    .bytesList(rows.map(\.record)), .bytesList(rows.map(\.head))))
        }
        if !claims.isEmpty {
            statements.append(
                SQLStatement(
                    """
                    INSERT INTO audit_claims (writer, number, device, app, salt, claims)
                    SELECT $1, e.* FROM unnest($2::bigint[], $3::bytea[], $4::text[], $5::bytea[], $6::bytea[]) AS e
                    """,
                    .int8(session.writer), .int8s(claims.map(\.number)), .bytesList(claims.map { $0.device?.bytes }),
                    .texts(claims.map(\.app.text)), .bytesList(claims.map(\.claims.salt)),
                    .bytesList(claims.map(\.claims.claims))))
        }
        statements.append(
            SQLStatement(
                """
                UPDATE writers SET commits = $2, number = $3, head = $4, last_verdict = coalesce($5, last_verdict),
                    last_verdict_at = coalesce($6, last_verdict_at), devices = devices + $7,
                    held_until = \(WriterLease.now) + $8::bigint WHERE writer = $1
                """,
                .int8(session.writer), .int8(session.commits + 1), .int8(chain.number), .bytes(chain.head),
                .int8(lastVerdict?.number), .int8(lastVerdict?.time.unixMilliseconds), .int8(addedDevices),
                .int8(session.lease.length)))
        return statements
    }
}
