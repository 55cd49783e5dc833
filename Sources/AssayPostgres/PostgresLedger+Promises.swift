package import AssayCore
import AssayLedger

// MARK: Verdicts and devices

extension PostgresLedger: VerdictLedger {
    package func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome] {
        entries.isEmpty ? [] : try await write(entries)
    }

    package func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict? {
        let found = try await find(IdempotencyTable.verdict(idempotencyKey, now: now))
        if found != nil { try await confirm() }
        return found
    }

    package func areSpent(_ tokens: [[UInt8]]) async throws(LedgerError) -> [Bool] {
        tokens.isEmpty ? [] : try await find(SpentTable.areSpent(tokens))
    }
}

extension PostgresLedger: DeviceFacts {
    package func device(_ key: DeviceKey) async throws(LedgerError) -> Device? {
        let (held, epoch) = cache.device(key)
        if let held { return held }
        let found = try await find(DeviceTable.device(key))
        if let found { cache.insert(found, readAfter: epoch) }
        return found
    }

    /// Those that are not cached are read together.
    package func devices(of keys: [DeviceKey]) async -> [Result<Device?, LedgerError>] {
        await cache.devices(of: keys) { missing in
            do throws(LedgerError) { return try await find(DeviceTable.devices(missing), weight: missing.count) } catch {
                return missing.map { _ in .failure(error) }
            }
        }
    }

    package func use(ofAttestationKey key: [UInt8], at now: Timestamp) async throws(LedgerError) -> AttestationKeyUse {
        try await find(DeviceTable.use(ofAttestationKey: key, at: now))
    }

    package func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool {
        let statement = BlockStatements.exists(.subject(subject, of: app), of: app)
        return try await find(Lookup(statement) { rows throws(PostgresError) in !rows.isEmpty })
    }
}

extension PostgresLedger: DeviceRegistry {
    package func device(_ id: DeviceID) async throws(LedgerError) -> Device? {
        let (held, epoch) = cache.device(id)
        if let held { return held }
        let found = try await find(DeviceTable.device(id))
        if let found { cache.insert(found, readAfter: epoch) }
        return found
    }

    package func devices(_ listing: DeviceListing) async throws(LedgerError) -> DevicePage {
        try await read { database throws(PostgresError) in try DeviceScan.page(listing, database) }
    }

    package func add(
        imported devices: [Device], _ context: ChangeContext
    ) async throws(LedgerError) -> [ImportOutcome] {
        guard !devices.isEmpty else { return [] }
        return try await write(weight: devices.count) { transaction throws(PostgresError) in
            try transaction.add(imported: devices, context)
        }
    }

    package func forget(_ id: DeviceID, _ context: ChangeContext) async throws(LedgerError) -> ForgottenDevice? {
        // Most of them before, in bounded steps; what is committed meanwhile goes with the device.
        while try await write({ transaction throws(PostgresError) in
            try PayloadTable.remove(about: id, transaction.database)
        }) {}
        let forgotten = try await write { transaction throws(PostgresError) in try transaction.forget(id, context) }
        // Verdicts about the device are void now, and no further one can be stored. A reader finds them, because it scans the whole
        // table, which would hold up the writer.
        var verdicts = try await read { database throws(PostgresError) in
            try IdempotencyTable(database: database).keys(about: id)
        }[...]
        while !verdicts.isEmpty {
            let some = Array(verdicts.prefix(Int(IdempotencyTable.deletionLimit)))
            verdicts = verdicts.dropFirst(some.count)
            try await write { transaction throws(PostgresError) in
                try IdempotencyTable(database: transaction.database).remove(some, about: id)
            }
        }
        return forgotten
    }
}

extension PostgresLedger: DeviceFlagRegistry {
    package func change(
        _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> DeviceFlagOutcome? {
        try await write { transaction throws(PostgresError) in
            try transaction.change(change, of: id, app: app, context)
        }
    }
}

extension PostgresLedger: BlockRegistry {
    package func block(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await write { transaction throws(PostgresError) in try transaction.block(target, context) }
    }

    package func unblock(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await write { transaction throws(PostgresError) in try transaction.unblock(target, context) }
    }

    package func blocks(_ listing: BlockListing) async throws(LedgerError) -> BlockPage {
        try await read { database throws(PostgresError) in try BlockScan.page(listing, database) }
    }
}

extension PostgresLedger: ReceiptStore {
    package func receipts(
        in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int
    ) async throws(LedgerError) -> DueReceipts {
        try await read { database throws(PostgresError) in try ReceiptScan.due(queue, at: now, limit: limit, database) }
    }

    package func keep(_ outcomes: [ReceiptOutcome]) async throws(LedgerError) {
        guard !outcomes.isEmpty else { return }
        try await write(weight: outcomes.count) { transaction throws(PostgresError) in try transaction.keep(outcomes) }
    }
}

// MARK: The audit log

extension PostgresLedger: AuditLog {
    package func auditWriters() async throws(LedgerError) -> [AuditWriter] {
        let name = auditWriter
        return try await read { database throws(PostgresError) in
            try WriterTable(database: database).all(own: name).map(\.writer)
        }
    }

    package func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage {
        let (writer, name) = (self.number, auditWriter)
        return try await read { database throws(PostgresError) in
            try AuditTable(database: database, writer: writer, name: name).page(from: number, limit: limit)
        }
    }

    package func audit(
        of writer: AuditWriter, from number: Int64, limit: Int
    ) async throws(LedgerError) -> AuditPage? {
        try await read { database throws(PostgresError) in
            try AuditTable(of: writer, database)?.page(from: number, limit: limit)
        }
    }

    package func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims? {
        let (writer, name) = (self.number, auditWriter)
        return try await read { database throws(PostgresError) in
            try AuditTable(database: database, writer: writer, name: name).claims(of: number)
        }
    }

    package func auditClaims(of number: Int64, by writer: AuditWriter) async throws(LedgerError) -> AuditClaims? {
        try await read { database throws(PostgresError) in try AuditTable(of: writer, database)?.claims(of: number) }
    }

    package func record(_ change: AuditChange, at time: Timestamp) async throws(LedgerError) {
        try await write { transaction throws(PostgresError) in transaction.append(change, at: time) }
    }

    package func forgetAuditClaims(
        of device: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Int64 {
        let (writer, name) = (self.number, auditWriter)
        var count: Int64 = 0
        while true {
            let some = try await write { transaction throws(PostgresError) in
                let count = try AuditTable(database: transaction.database, writer: writer, name: name).forgetClaims(
                    of: device, app)
                if count > 0 {
                    transaction.append(.forgetClaims(of: device, app: app, count: count, context), at: context.time)
                }
                return count
            }
            count += some
            guard some >= AuditTable.forgetLimit else { return count }
        }
    }
}

extension PostgresLedger: LedgerStatusSource {
    /// Throws after damage and while the database cannot be written, although reads work.
    package func status() async throws(LedgerError) -> LedgerStatus {
        if let fault = health.fault { throw fault }
        if let passing = health.passing { throw passing }
        let (own, confirmed) = (auditWriter, confirmedChain)
        return try await read { database throws(PostgresError) in
            try WriterTable(database: database).status(own: own, end: confirmed)
        }
    }
}

// MARK: Secrets, policies and clock

extension PostgresLedger: SecretStore {
    package func secrets() async throws(LedgerError) -> [WrappedSecret] {
        try await readingSecrets { () throws(LedgerError) in
            try await read { database throws(PostgresError) in try SecretTable(database: database).all() }
        }
    }

    package func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret {
        try await write { transaction throws(PostgresError) in try SecretTable(database: transaction.database).add(secret) }
    }

    package func removeSecret(name: String, number: UInt32) async throws(LedgerError) {
        try await write { transaction throws(PostgresError) in
            try SecretTable(database: transaction.database).remove(name: name, number: number)
        }
    }
}

extension PostgresLedger: PolicyStore {
    package func keep(policies: [StoredPolicy]) async throws(LedgerError) {
        guard !policies.isEmpty else { return }
        try await write { transaction throws(PostgresError) in try PolicyTable(database: transaction.database).add(policies) }
    }

    package func policies(beginning prefix: [UInt8]) async throws(LedgerError) -> [StoredPolicy] {
        try await read { database throws(PostgresError) in try PolicyTable(database: database).policies(beginning: prefix) }
    }

    package func policies(_ listing: PolicyListing) async throws(LedgerError) -> PolicyPage {
        try await read { database throws(PostgresError) in try PolicyTable(database: database).page(listing) }
    }
}

/// The memory is of this daemon's clock, so it lies in the writer's row.
extension PostgresLedger: ClockMemoryStore {
    package func clockMemory() async throws(LedgerError) -> ClockMemory? {
        let writer = self.number
        return try await read { database throws(PostgresError) in
            try database.query(
                "SELECT clock_believed, clock_uptime, clock_ahead_since FROM writers WHERE writer = $1", .int8(writer)
            ).first { row in
                row.isNull(0) || row.isNull(1)
                    ? nil
                    : ClockMemory(
                        believed: Timestamp(unixMilliseconds: row.int64(0)), uptime: row.int64(1),
                        aheadSince: row.isNull(2) ? nil : row.int64(2))
            } ?? nil
        }
    }

    package func keep(_ memory: ClockMemory) async throws(LedgerError) {
        let writer = self.number
        try await write { transaction throws(PostgresError) in
            _ = try transaction.database.query(
                "UPDATE writers SET clock_believed = $2, clock_uptime = $3, clock_ahead_since = $4 WHERE writer = $1",
                .int8(writer), .int8(memory.believed.unixMilliseconds), .int8(memory.uptime), .int8(memory.aheadSince))
        }
    }
}

// MARK: The declaration of a new ledger

extension PostgresLedger: OpenedLedger {
    package func isDeclaredNew() async throws(LedgerError) -> Bool {
        try await read { database throws(PostgresError) in try SecretTable(database: database).areDeclaredNew() }
    }

    /// Those whose lease has not ended.
    package func otherDaemons() async throws(LedgerError) -> [String] {
        let own = self.number
        return try await read { database throws(PostgresError) in
            try database.query(
                "SELECT name, held_by FROM writers WHERE writer <> $1 AND held_until > \(WriterLease.now) ORDER BY name",
                .int8(own)
            ).all { "\($0.text(0)) (\($0.text(1)))" }
        }
    }

    package func declareNew() async throws(LedgerError) {
        try await write { transaction throws(PostgresError) in
            _ = try transaction.database.query(
                "INSERT INTO meta VALUES ('declared_new', 1) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
        }
    }

    package func skipLostPublications() async throws(LedgerError) {
        try await write { transaction throws(PostgresError) in
            try ServerHistory(database: transaction.database).skipLostPublications()
        }
    }
}
