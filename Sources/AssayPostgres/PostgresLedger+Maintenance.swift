package import AssayCore

extension PostgresLedger: LedgerMaintenance {
    /// The number of periods ahead that have a partition.
    static let periodsAhead: Int64 = 8

    /// Removes what expired, by the earlier of this daemon's clock and the server's. Nothing, if another daemon is doing the same.
    package func purge(now: Timestamp) async throws(LedgerError) {
        let server = try await read { database throws(PostgresError) in
            try database.query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint").first { $0.int64(0) }
        }
        let now = min(now, server.map { Timestamp(unixMilliseconds: $0) } ?? now)
        let expired = now.adding(milliseconds: -options.purgeMargin)
        try await makePeriods(from: now)
        try await purgeSpent(expiredAt: expired)
        while try await write({ transaction throws(PostgresError) in
            try IdempotencyTable(database: transaction.database).purge(now: now)
        }) {}
        while try await write({ transaction throws(PostgresError) in
            try Submissions.purge(now: now, transaction.database)
        }) {}
    }

    /// Makes the partitions of the next periods, so that no commit has to. One whose locks others hold is made at the next time.
    private func makePeriods(from now: Timestamp) async throws(LedgerError) {
        try await read { database throws(PostgresError) in
            let table = SpentTable(database: database)
            let (known, first) = (try table.periods(), SpentPeriod(of: now).index)
            for period in (first...first + Self.periodsAhead).map(SpentPeriod.init(index:)) where !known.contains(period) {
                do throws(PostgresError) { try table.make(period) } catch { guard error.isConflict else { throw error } }
            }
        }
    }

    /// Each period in a transaction of its own, so that commits wait only for a moment. A period whose locks others hold is left for the
    /// next time.
    private func purgeSpent(expiredAt expired: Timestamp) async throws(LedgerError) {
        let periods = try await read { database throws(PostgresError) in try SpentTable(database: database).periods() }
        for period in periods.sorted() where period.last <= expired {
            let isDone = try await write { transaction throws(PostgresError) in
                guard try Self.mayPurge(transaction.database) else { return false }
                transaction.session.periods.remove(period)
                return try SpentTable(database: transaction.database).drop(period)
            }
            guard isDone else { return }
        }
        while try await write({ transaction throws(PostgresError) in
            guard try Self.mayPurge(transaction.database) else { return false }
            return try SpentTable(database: transaction.database).deleteUsed(expiredAt: expired)
        }) {}
    }

    /// Whether this daemon is the one that purges, until the transaction ends.
    private static func mayPurge(_ database: Database) throws(PostgresError) -> Bool {
        try !database.query("SELECT 1 FROM meta WHERE name = 'purge' FOR UPDATE SKIP LOCKED").isEmpty
    }

    package func trim(to limits: Retention) async throws(LedgerError) -> Trimmed {
        let (writer, name) = (number, auditWriter)
        var trimmed = Trimmed()
        if limits.auditFrom != nil || limits.auditRows != nil {
            // Read and verified here, so that the writer runs one statement only.
            let page = try await audit(from: .min, limit: AuditPage.limit)
            let (chain, fault) = page.droppable(under: limits)
            if chain != page.start {
                _ = try await write { transaction throws(PostgresError) in
                    try AuditTable(database: transaction.database, writer: writer, name: name).drop(upTo: chain)
                }
            }
            trimmed.auditRows = chain.number - page.start.number
            (trimmed.start, trimmed.fault) = (chain, fault)
            if let fault { health.stop(.corrupt("audit \(fault)")) }
            trimmed.others = try await trimIdleWriters(to: limits)
            trimmed.hasMore = ([trimmed.auditRows] + trimmed.others.map(\.rows)).contains(Int64(AuditPage.limit))
        }
        if let limit = limits.verdicts {
            let excess =
                try await read { database throws(PostgresError) in try IdempotencyTable(database: database).count() }
                - max(0, limit)
            if excess > 0 {
                trimmed.verdicts = try await write { transaction throws(PostgresError) in
                    try IdempotencyTable(database: transaction.database).removeOldest(excess)
                }
            }
            trimmed.hasMore = trimmed.hasMore || trimmed.verdicts >= IdempotencyTable.deletionLimit
        }
        guard !trimmed.hasMore else { return trimmed }
        // A reader counts, because it scans all tables: once, after the rest.
        let counts = try await read { database throws(PostgresError) in try SpentTable(database: database).counts() }
        trimmed.evidence = counts.evidence
        if let limit = limits.challenges {
            trimmed.challenges = try await forgetChallenges(atLeast: counts.challenges - max(0, limit))
        }
        return trimmed
    }

    /// Drops challenges in several transactions, so that commits run between them. Returns their number.
    private func forgetChallenges(atLeast excess: Int64) async throws(LedgerError) -> Int64 {
        var forgotten: Int64 = 0
        while forgotten < excess {
            let rest = excess - forgotten
            let some = try await write { transaction throws(PostgresError) in
                try SpentTable(database: transaction.database).forgetChallenges(atLeast: rest)
            }
            guard some > 0 else { break }
            forgotten += some
        }
        return forgotten
    }
}
