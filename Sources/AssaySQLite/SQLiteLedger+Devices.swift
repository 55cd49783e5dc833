package import AssayCore

extension SQLiteLedger: DeviceRegistry {
    package func device(_ id: DeviceID) async throws(LedgerError) -> Device? {
        try await read { reader throws(SQLiteFailure) in try reader.device(id) }
    }

    package func devices(_ listing: DeviceListing) async throws(LedgerError) -> DevicePage {
        try await read { reader throws(SQLiteFailure) in try reader.devices(listing) }
    }

    package func add(
        imported devices: [Device], _ context: ChangeContext
    ) async throws(LedgerError) -> [ImportOutcome] {
        guard !devices.isEmpty else { return [] }
        return try await write(weight: devices.count) { session throws(SQLiteFailure) in
            try session.add(imported: devices, context)
        }
    }

    package func forget(_ id: DeviceID, _ context: ChangeContext) async throws(LedgerError) -> ForgottenDevice? {
        let forgotten = try await write { session throws(SQLiteFailure) in try session.forget(id, context) }
        // Verdicts about the device are void now, and no further one can be stored. A reader finds them, because it scans the whole
        // table, which would hold up the writer.
        var verdicts = try await read { reader throws(SQLiteFailure) in try reader.verdicts(about: id) }[...]
        while !verdicts.isEmpty {
            let some = verdicts.prefix(IdempotencyTable.purgeLimit)
            verdicts = verdicts.dropFirst(some.count)
            try await write { session throws(SQLiteFailure) in try session.idempotency.remove(some, about: id) }
        }
        return forgotten
    }
}

extension SQLiteLedger: BlockRegistry {
    package func block(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await write { session throws(SQLiteFailure) in try session.block(target, context) }
    }

    package func unblock(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange? {
        try await write { session throws(SQLiteFailure) in try session.unblock(target, context) }
    }

    package func blocks(_ listing: BlockListing) async throws(LedgerError) -> BlockPage {
        try await read { reader throws(SQLiteFailure) in try reader.blocks(listing) }
    }
}

extension SQLiteLedger: ReceiptStore {
    package func receipts(
        in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int
    ) async throws(LedgerError) -> DueReceipts {
        try await read { reader throws(SQLiteFailure) in try reader.receipts(in: queue, dueAt: now, limit: limit) }
    }

    package func keep(_ outcomes: [ReceiptOutcome]) async throws(LedgerError) {
        guard !outcomes.isEmpty else { return }
        try await write(weight: outcomes.count) { session throws(SQLiteFailure) in
            for outcome in outcomes { try session.keep(outcome) }
        }
    }
}
