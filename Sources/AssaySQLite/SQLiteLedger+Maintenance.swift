package import AssayCore

extension SQLiteLedger: LedgerMaintenance {
    package func purge(now: Timestamp) async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.spent.purge(now: now) }
        while try await write({ session throws(SQLiteFailure) in try session.idempotency.purge(now: now) }) {}
    }

    package func trim(to limits: Retention) async throws(LedgerError) -> Trimmed {
        var trimmed = Trimmed()
        if limits.auditFrom != nil || limits.auditRows != nil {
            // Read and verified here, so that the writer runs one statement only.
            let page = try await audit(from: .min, limit: AuditPage.limit)
            let (chain, fault) = page.droppable(under: limits)
            if chain != page.start {
                try await write { session throws(SQLiteFailure) in try session.audit.drop(upTo: chain) }
            }
            trimmed.auditRows = chain.number - page.start.number
            (trimmed.start, trimmed.fault) = (chain, fault)
            if let fault { health.stop(.corrupt("audit \(fault)")) }
            trimmed.hasMore = trimmed.auditRows == AuditPage.limit
        }
        if let limit = limits.verdicts {
            trimmed.verdicts = try await write { session throws(SQLiteFailure) in try session.idempotency.trim(to: limit) }
            trimmed.hasMore = trimmed.hasMore || trimmed.verdicts >= IdempotencyTable.purgeLimit
        }
        guard !trimmed.hasMore else { return trimmed }
        // A reader counts, because it scans all tables: once, after the rest.
        let counts = try await read { reader throws(SQLiteFailure) in try reader.spentCounts() }
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
            let some = try await write { session throws(SQLiteFailure) in
                try session.spent.forgetChallenges(atLeast: rest)
            }
            guard some > 0 else { break }
            forgotten += some
        }
        return forgotten
    }
}

extension SQLiteLedger: LedgerStatusSource {
    /// Throws after damage and while the disk cannot be written, although reads work.
    package func status() async throws(LedgerError) -> LedgerStatus {
        if let fault = health.fault { throw fault }
        if health.isUnwritten { try await write { session throws(SQLiteFailure) in try session.marks.probe() } }
        return try await read { reader throws(SQLiteFailure) in try reader.ledgerStatus() }
    }
}

extension SQLiteLedger: SecretStore {
    package func secrets() async throws(LedgerError) -> [WrappedSecret] {
        try await read { reader throws(SQLiteFailure) in try reader.secrets() }
    }

    package func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret {
        try await write { session throws(SQLiteFailure) in try session.secrets.add(secret) }
    }

    package func removeSecret(name: String, number: UInt32) async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.secrets.remove(name: name, number: number) }
    }
}

extension SQLiteLedger: ClockMemoryStore {
    package func clockMemory() async throws(LedgerError) -> ClockMemory? {
        try await read { reader throws(SQLiteFailure) in try reader.clockMemory() }
    }

    package func keep(_ memory: ClockMemory) async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.marks.keep(memory) }
    }
}
