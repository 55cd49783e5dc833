package import AssayCore
import Synchronization

extension PostgresLedger: LedgerMaintenance {
    /// The number of periods ahead that have a partition.
    static let periodsAhead: Int64 = 8

    /// Removes what expired, by the earlier of this daemon's clock and the server's. Nothing, if another daemon does it, or if the clocks are
    /// so far apart that one of them is wrong.
    package func purge(now: Timestamp) async throws(LedgerError) {
        guard let server = try await serverTime() else { return }
        let expired = min(now, server).adding(milliseconds: -options.purgeMargin)
        try await makePeriods(from: min(now, server))
        guard try await takes(.purge) else { return }
        try await purgeSpent(expiredAt: expired)
        while try await write({ transaction throws(PostgresError) in
            try IdempotencyTable(database: transaction.database).purge(now: min(now, server))
        }) {}
        while try await write({ transaction throws(PostgresError) in
            try Submissions.purge(now: min(now, server), transaction.database)
        }) {}
        while try await write({ transaction throws(PostgresError) in
            try StatusTable(database: transaction.database).purge(now: min(now, server))
        }) {}
        while try await write({ transaction throws(PostgresError) in
            try PayloadTable.purge(now: min(now, server), transaction.database)
        }) {}
        while try await write({ transaction throws(PostgresError) in
            try UploadTable(database: transaction.database).purge(now: min(now, server))
        }) {}
    }

    /// The server's clock. Warns where this daemon's differs from it; `nil` where it differs too much to remove anything by.
    private func serverTime() async throws(LedgerError) -> Timestamp? {
        let clock = options.clock
        let (server, difference) = try await read { database throws(PostgresError) in
            let before = clock.now()
            let server = try database.query("SELECT \(WriterLease.now)").first { Timestamp(unixMilliseconds: $0.int64(0)) }
            guard let server else { throw .damaged("the server tells no time") }
            // The answer took a part of the difference.
            let (early, late) = (before.milliseconds(since: server), clock.now().milliseconds(since: server))
            return (server, early > 0 ? early : min(0, late))
        }
        clockDifference.store(difference, ordering: .relaxed)
        let distance = ClockDistance(abs(difference), options.clockDifference)
        let isNew = toldClock.withLock { told in
            defer { told = distance }
            return told != distance
        }
        if isNew, distance != .near {
            let words = "\(DurationText.rounded(abs(difference))) \(difference > 0 ? "ahead of" : "behind")"
            health.warn(
                "this machine's clock is \(words) the database server's: set both by NTP"
                    + (distance == .tooFar ? "; what has expired is not removed until both agree" : ""))
        }
        return distance == .tooFar ? nil : server
    }

    package func takes(_ work: BackgroundWork) async throws(LedgerError) -> Bool {
        let writer = number
        let owner = try await read { database throws(PostgresError) in
            try WorkTable(database: database).owner(of: work, for: writer)
        }
        guard owner == .none else { return owner == .own }
        return try await write { transaction throws(PostgresError) in
            try WorkTable(database: transaction.database).take(work, for: writer)
        }
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
        let (periods, isOneTable) = try await read { database throws(PostgresError) in
            (try SpentTable(database: database).periods(), !database.connection.engine.hasPartitions)
        }
        for period in periods.sorted() where period.last <= expired {
            let isDone = try await write { transaction throws(PostgresError) in
                guard try Self.mayPurge(transaction.database) else { return false }
                transaction.session.periods.remove(period)
                return try SpentTable(database: transaction.database).drop(period)
            }
            guard isDone else { return }
        }
        if isOneTable {
            try await purge { table throws(PostgresError) in try table.deleteChallenges(expiredAt: expired) }
        }
        try await purge { table throws(PostgresError) in try table.deleteUsed(expiredAt: expired) }
    }

    /// Repeats a deletion, each time in a transaction of its own, until nothing is left for it, or another daemon purges.
    private func purge(
        _ deletion: @escaping @Sendable (SpentTable) throws(PostgresError) -> Bool
    ) async throws(LedgerError) {
        while try await write({ transaction throws(PostgresError) in
            guard try Self.mayPurge(transaction.database) else { return false }
            return try deletion(SpentTable(database: transaction.database))
        }) {}
    }

    /// Whether this daemon is the one that purges, until the transaction ends.
    private static func mayPurge(_ database: Database) throws(PostgresError) -> Bool {
        try !database.query("SELECT 1 FROM meta WHERE name = 'purge' FOR UPDATE SKIP LOCKED").isEmpty
    }

    package func trim(to limits: Retention) async throws(LedgerError) -> Trimmed {
        let (writer, name) = (number, auditWriter)
        var trimmed = Trimmed()
        // What is not of this daemon's own chain is removed by one daemon.
        let isRetaining = try await takes(.retention)
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
            if isRetaining { trimmed.others = try await trimIdleWriters(to: limits) }
            trimmed.hasMore = ([trimmed.auditRows] + trimmed.others.map(\.rows)).contains(Int64(AuditPage.limit))
        }
        if isRetaining, let limit = limits.verdicts {
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
        if isRetaining, let limit = limits.challenges {
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
