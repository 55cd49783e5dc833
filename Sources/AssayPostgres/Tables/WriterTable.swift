import AssayCore

/// Reads the rows of all writers.
struct WriterTable {
    let database: Database

    /// The chains of all writers: that of `own` first, where it has one, then the others by name.
    func all(own: AuditWriter) throws(PostgresError) -> [AuditWriterStatus] { try read().writers.ownFirst(own) }

    /// The state of the ledger, with the audit chains of all writers and the devices of all. One statement, so that all is of one instant.
    ///
    /// - Parameter end: that of the own chain: a later one that is read may be lost.
    func status(own: AuditWriter, end: AuditChain) throws(PostgresError) -> LedgerStatus {
        let (horizon, devices, writers) = try read()
        let sorted = writers.ownFirst(own)
        guard let horizon, let devices, let mine = sorted.first, mine.writer == own else { throw .damaged("no status") }
        return LedgerStatus(
            spentHorizon: horizon, devices: devices, writer: own, auditCount: end.number, auditHead: end.head,
            auditDropped: mine.start.number, auditStartHead: mine.start.head, lastEntryAt: mine.lastEntryAt,
            otherWriters: Array(sorted.dropFirst()))
    }

    private func read() throws(PostgresError) -> (horizon: Timestamp?, devices: Int64?, writers: [AuditWriterStatus]) {
        let rows = try database.query(
            """
            SELECT (SELECT value FROM meta WHERE name = 'spent_horizon'), (SELECT sum(devices)::bigint FROM writers),
                name, number, head, start_number, start_head, last_verdict, last_verdict_at
            FROM writers ORDER BY name
            """
        ).all { row throws(PostgresError) in
            let name = row.text(2)
            guard let writer = AuditWriter(named: name) else { throw .damaged("\"\(name)\" is no name of a writer") }
            let status = AuditWriterStatus(
                writer, start: AuditChain(number: row.int64(5), head: row.bytes(6)),
                end: AuditChain(number: row.int64(3), head: row.bytes(4)),
                lastEntryAt: row.int64(7) > row.int64(5) ? Timestamp(unixMilliseconds: row.int64(8)) : nil)
            return (horizon: Timestamp(unixMilliseconds: row.int64(0)), devices: row.int64(1), status: status)
        }
        return (rows.first?.horizon, rows.first?.devices, rows.map(\.status))
    }
}

extension [AuditWriterStatus] {
    /// The status of `own` moved to the front.
    fileprivate func ownFirst(_ own: AuditWriter) -> [AuditWriterStatus] {
        filter { $0.writer == own } + filter { $0.writer != own }
    }
}
