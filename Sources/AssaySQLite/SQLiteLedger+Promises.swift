package import AssayCore
import AssayLedger
import Synchronization

// MARK: Verdicts and devices

extension SQLiteLedger: VerdictLedger {
    package func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome] {
        guard !entries.isEmpty else { return [] }
        return try await write(weight: entries.count) { session throws(SQLiteError) in
            var outcomes: [CommitOutcome] = []
            outcomes.reserveCapacity(entries.count)
            for entry in entries { outcomes.append(try session.apply(entry)) }
            return outcomes
        }
    }

    package func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict? {
        try await read { reader throws(SQLiteError) in try reader.verdict(idempotencyKey, now: now) }
    }

    package func areSpent(_ tokens: [[UInt8]]) async throws(LedgerError) -> [Bool] {
        guard !tokens.isEmpty else { return [] }
        return try await read { reader throws(SQLiteError) in try reader.areSpent(tokens) }
    }
}

extension SQLiteLedger: DeviceFacts {
    package func device(_ key: DeviceKey) async throws(LedgerError) -> Device? {
        let (held, epoch) = caches.devices.device(key)
        if let held { return held }
        let found = try await read { reader throws(SQLiteError) in try reader.device(key) }
        if let found { caches.devices.insert(found, readAfter: epoch) }
        return found
    }

    /// Those that are not cached are read one by one, so that one that is damaged fails alone.
    package func devices(of keys: [DeviceKey]) async -> [Result<Device?, LedgerError>] {
        await caches.devices.devices(of: keys) { missing in
            var found: [Result<Device?, LedgerError>] = []
            for key in missing {
                do throws(LedgerError) {
                    found.append(.success(try await read { reader throws(SQLiteError) in try reader.device(key) }))
                } catch {
                    found.append(.failure(error))
                }
            }
            return found
        }
    }

    package func use(ofAttestationKey key: [UInt8], at now: Timestamp) async throws(LedgerError) -> AttestationKeyUse {
        try await read { reader throws(SQLiteError) in try reader.use(ofAttestationKey: key, at: now) }
    }

    package func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool {
        try await read { reader throws(SQLiteError) in try reader.isBlocked(subject: subject, of: app) }
    }
}

extension SQLiteLedger: DeviceRegistry {
    package func device(_ id: DeviceID) async throws(LedgerError) -> Device? {
        let (held, epoch) = caches.devices.device(id)
        if let held { return held }
        let found = try await read { reader throws(SQLiteError) in try reader.device(id) }
        if let found { caches.devices.insert(found, readAfter: epoch) }
        return found
    }

    package func devices(_ listing: DeviceListing) async throws(LedgerError) -> DevicePage {
        try await read { reader throws(SQLiteError) in try reader.devices(listing) }
    }

    package func add(
        imported devices: [Device], _ context: ChangeContext
    ) async throws(LedgerError) -> [ImportOutcome] {
        guard !devices.isEmpty else { return [] }
        return try await write(weight: devices.count) { session throws(SQLiteError) in
            try session.add(imported: devices, context)
        }
    }

    package func forget(_ id: DeviceID, _ context: ChangeContext) async throws(LedgerError) -> ForgottenDevice? {
        // Most of them before, in bounded steps; what is committed meanwhile goes with the device.
        while try await write({ session throws(SQLiteError) in try session.payloads.remove(about: id) }) {}
        let forgotten = try await write { session throws(SQLiteError) in try session.forget(id, context) }
        // Verdicts about the device are void now, and no further one can be stored. A reader finds them, because it scans the whole
        // table, which would hold up the writer.
        var verdicts = try await read { reader throws(SQLiteError) in try reader.verdicts(about: id) }[...]
        while !verdicts.isEmpty {
            let some = verdicts.prefix(IdempotencyTable.purgeLimit)
            verdicts = verdicts.dropFirst(some.count)
            try await write { session throws(SQLiteError) in try session.idempotency.remove(some, about: id) }
        }
        return forgotten
    }
}

extension SQLiteLedger: DeviceFlagRegistry {
    package func change(
        _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> DeviceFlagOutcome? {
        try await write { session throws(SQLiteError) in try session.change(change, of: id, app: app, context) }
    }
}

extension SQLiteLedger: BlockRegistry {
    package func block(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await write { session throws(SQLiteError) in try session.block(target, context) }
    }

    package func unblock(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await write { session throws(SQLiteError) in try session.unblock(target, context) }
    }

    package func blocks(_ listing: BlockListing) async throws(LedgerError) -> BlockPage {
        try await read { reader throws(SQLiteError) in try reader.blocks(listing) }
    }
}

extension SQLiteLedger: ReceiptStore {
    package func receipts(
        in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int
    ) async throws(LedgerError) -> DueReceipts {
        try await read { reader throws(SQLiteError) in try reader.receipts(in: queue, dueAt: now, limit: limit) }
    }

    package func keep(_ outcomes: [ReceiptOutcome]) async throws(LedgerError) {
        guard !outcomes.isEmpty else { return }
        try await write(weight: outcomes.count) { session throws(SQLiteError) in
            for outcome in outcomes { try session.keep(outcome) }
        }
    }
}

// MARK: The audit log

extension SQLiteLedger: AuditLog {
    package func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage {
        try await read { reader throws(SQLiteError) in try reader.audit(from: number, limit: limit) }
    }

    package func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims? {
        try await read { reader throws(SQLiteError) in try reader.auditClaims(of: number) }
    }

    package func record(_ change: AuditChange, at time: Timestamp) async throws(LedgerError) {
        try await write { session throws(SQLiteError) in try session.audit.append(change, at: time) }
    }

    package func forgetAuditClaims(
        of device: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Int64 {
        var count: Int64 = 0
        while true {
            let some = try await write { session throws(SQLiteError) in
                try session.audit.forgetClaims(of: device, app, context)
            }
            count += some
            guard some >= AuditClaimsTable.forgetLimit else { return count }
        }
    }
}

// MARK: Maintenance and status

extension SQLiteLedger: LedgerMaintenance {
    package func purge(now: Timestamp) async throws(LedgerError) {
        try await write { session throws(SQLiteError) in try session.spent.purge(now: now) }
        while try await write({ session throws(SQLiteError) in try session.idempotency.purge(now: now) }) {}
        while try await write({ session throws(SQLiteError) in try session.submissions.purge(now: now) }) {}
        while try await write({ session throws(SQLiteError) in try session.statuses.purge(now: now) }) {}
        while try await write({ session throws(SQLiteError) in try session.payloads.purge(now: now) }) {}
        while try await write({ session throws(SQLiteError) in try session.uploads.purge(now: now) }) {}
    }

    package func trim(to limits: Retention) async throws(LedgerError) -> Trimmed {
        var trimmed = Trimmed()
        if limits.auditFrom != nil || limits.auditRows != nil {
            // Read and verified here, so that the writer runs one statement only.
            let page = try await audit(from: .min, limit: AuditPage.limit)
            let (chain, fault) = page.droppable(under: limits)
            if chain != page.start {
                try await write { session throws(SQLiteError) in try session.audit.drop(upTo: chain) }
            }
            trimmed.auditRows = chain.number - page.start.number
            (trimmed.start, trimmed.fault) = (chain, fault)
            if let fault { health.stop(.corrupt("audit \(fault)")) }
            trimmed.hasMore = trimmed.auditRows == AuditPage.limit
        }
        if let limit = limits.verdicts {
            trimmed.verdicts = try await write { session throws(SQLiteError) in try session.idempotency.trim(to: limit) }
            trimmed.hasMore = trimmed.hasMore || trimmed.verdicts >= IdempotencyTable.purgeLimit
        }
        guard !trimmed.hasMore else { return trimmed }
        // A reader counts, because it scans all tables: once, after the rest.
        let counts = try await read { reader throws(SQLiteError) in try reader.spentCounts() }
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
            let some = try await write { session throws(SQLiteError) in
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
        if health.isUnwritten { try await write { session throws(SQLiteError) in try session.marks.probe() } }
        var last = lastVerdict.withLock { $0 }
        let status = try await read { reader throws(SQLiteError) in try reader.ledgerStatus(&last) }
        lastVerdict.withLock { [last] in $0 = last }
        return status
    }
}

// MARK: Secrets and clock

extension SQLiteLedger: SecretStore {
    package func secrets() async throws(LedgerError) -> [WrappedSecret] {
        try await read { reader throws(SQLiteError) in try reader.secrets() }
    }

    package func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret {
        try await write { session throws(SQLiteError) in try session.secrets.add(secret) }
    }

    package func removeSecret(name: String, number: UInt32) async throws(LedgerError) {
        try await write { session throws(SQLiteError) in try session.secrets.remove(name: name, number: number) }
    }
}

extension SQLiteLedger: PolicyStore {
    package func keep(policies: [StoredPolicy]) async throws(LedgerError) {
        guard !policies.isEmpty else { return }
        try await write { session throws(SQLiteError) in
            for policy in policies { try session.policies.add(policy) }
        }
    }

    package func policies(beginning prefix: [UInt8]) async throws(LedgerError) -> [StoredPolicy] {
        try await read { reader throws(SQLiteError) in try reader.policies.policies(beginning: prefix) }
    }

    package func policies(_ listing: PolicyListing) async throws(LedgerError) -> PolicyPage {
        try await read { reader throws(SQLiteError) in try reader.policies.page(listing) }
    }
}

extension SQLiteLedger: ClockMemoryStore {
    package func clockMemory() async throws(LedgerError) -> ClockMemory? {
        try await read { reader throws(SQLiteError) in try reader.clockMemory() }
    }

    package func keep(_ memory: ClockMemory) async throws(LedgerError) {
        try await write { session throws(SQLiteError) in try session.marks.keep(memory) }
    }
}

// MARK: The declaration of a new ledger

extension SQLiteLedger: OpenedLedger {
    package func isDeclaredNew() async throws(LedgerError) -> Bool {
        try await read { reader throws(SQLiteError) in try reader.isDeclaredNew() }
    }

    package func declareNew() async throws(LedgerError) {
        try await write { session throws(SQLiteError) in try session.marks.declareNew() }
    }

    package func skipLostPublications() async throws(LedgerError) {
        try await write { session throws(SQLiteError) in
            try session.statuses.skipLostPlaces()
            try session.revocations.passLists()
        }
    }
}
