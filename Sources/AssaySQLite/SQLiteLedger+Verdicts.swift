package import AssayCore

extension SQLiteLedger: VerdictLedger {
    package func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome] {
        guard !entries.isEmpty else { return [] }
        return try await write(weight: entries.count) { session throws(SQLiteFailure) in
            var outcomes: [CommitOutcome] = []
            outcomes.reserveCapacity(entries.count)
            for entry in entries { outcomes.append(try session.apply(entry)) }
            return outcomes
        }
    }

    package func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict? {
        try await read { reader throws(SQLiteFailure) in try reader.verdict(idempotencyKey, now: now) }
    }
}

extension SQLiteLedger: DeviceFacts {
    package func device(_ key: DeviceKey) async throws(LedgerError) -> Device? {
        let (held, epoch) = cache.device(key)
        if let held { return held }
        let found = try await read { reader throws(SQLiteFailure) in try reader.device(key) }
        if let found { cache.insert(found, readAfter: epoch) }
        return found
    }

    package func use(ofAttestationKey key: [UInt8], at now: Timestamp) async throws(LedgerError) -> AttestationKeyUse {
        try await read { reader throws(SQLiteFailure) in try reader.use(ofAttestationKey: key, at: now) }
    }

    package func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool {
        try await read { reader throws(SQLiteFailure) in try reader.isBlocked(subject: subject, of: app) }
    }
}
