import AssayCore

/// The chains of writers that have no daemon any more. No daemon drops their old records but another one.
extension PostgresLedger {
    /// A writer has no daemon if it has not committed for so long, in milliseconds by the server's clock: a running daemon notes its clock
    /// once an hour.
    private static let idleTime: Int64 = 86_400_000

    /// The condition of an idle writer, for a row `w` of `writers`.
    private static let isIdle = """
        greatest(w.last_verdict_at, coalesce(w.clock_believed, 0),
            coalesce((SELECT time FROM audit WHERE audit.writer = w.writer ORDER BY number DESC LIMIT 1), 0))
            < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - \(idleTime)
        """

    /// Drops what exceeds the limits from the front of each idle writer's chain, one page of each at most. A break in one of these chains
    /// is reported, and does not stop this daemon: it did not write them.
    func trimIdleWriters(to limits: Retention) async throws(LedgerError) -> [TrimmedChain] {
        let own = number
        let idle = try await read { database throws(PostgresError) in
            try database.query(
                "SELECT w.writer, w.name FROM writers w WHERE w.writer <> $1 AND \(Self.isIdle) ORDER BY w.name", .int8(own)
            ).all { ($0.int64(0), $0.text(1)) }
        }
        var trimmed: [TrimmedChain] = []
        for (writer, name) in idle {
            guard let name = AuditWriter(named: name) else { continue }
            let (page, chain, fault) = try await read { database throws(PostgresError) in
                let page = try AuditTable(database: database, writer: writer, name: name).page(
                    from: .min, limit: AuditPage.limit)
                let (chain, fault) = page.droppable(under: limits)
                return (page, chain, fault)
            }
            var rows: Int64 = 0
            if chain != page.start, try await drop(writer, name, upTo: chain) { rows = chain.number - page.start.number }
            guard rows > 0 || fault != nil else { continue }
            trimmed.append(TrimmedChain(name, rows: rows, start: rows > 0 ? chain : page.start, fault: fault))
        }
        return trimmed
    }

    /// False if the writer is not idle any more, or another daemon does the same. Locks its row without waiting, so that two daemons that
    /// look at each other's rows do not wait for each other.
    private func drop(
        _ writer: Int64, _ name: AuditWriter, upTo chain: AuditChain
    ) async throws(LedgerError) -> Bool {
        try await write { transaction throws(PostgresError) in
            let locked = try transaction.database.query(
                "SELECT 1 FROM writers w WHERE w.writer = $1 AND \(Self.isIdle) FOR NO KEY UPDATE OF w SKIP LOCKED",
                .int8(writer))
            guard !locked.isEmpty else { return false }
            return try AuditTable(database: transaction.database, writer: writer, name: name).drop(upTo: chain)
        }
    }
}
