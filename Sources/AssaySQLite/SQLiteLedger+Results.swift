package import AssayCore

extension SQLiteLedger: ResultKeyRegistry {
    package func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) async throws(LedgerError) -> Int {
        guard !keys.isEmpty else { return 0 }
        return try await write { session throws(SQLiteError) in try session.publish(keys, context) }
    }

    package func resultKeys() async throws(LedgerError) -> [PublishedResultKey] {
        try await read { reader throws(SQLiteError) in try reader.resultKeys.all() }
    }

    package func setSigning(
        _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
    ) async throws(LedgerError) -> PublishedResultKey? {
        try await write { session throws(SQLiteError) in try session.setSigning(identifier, from: time, context) }
    }
}

extension SQLiteLedger: ResultStatusRegistry {
    package func statusPlaces(_ requests: [ResultStatusRequest]) async throws(LedgerError) -> [ResultStatusPlace] {
        let known = try await read { reader throws(SQLiteError) in try reader.statuses.places(requests) }
        let places = known.compactMap(\.self)
        guard places.count < requests.count else { return places }
        return try await write(weight: requests.count) { session throws(SQLiteError) in
            var places: [ResultStatusPlace] = []
            places.reserveCapacity(requests.count)
            for request in requests { places.append(try session.statuses.place(request)) }
            return places
        }
    }

    package func statusLists() async throws(LedgerError) -> [ResultStatusList] {
        try await read { reader throws(SQLiteError) in try reader.statuses.lists() }
    }

    package func statusEntries(ofList list: UInt32) async throws(LedgerError) -> [ResultStatusEntry] {
        var entries: [ResultStatusEntry] = []
        for part in ResultStatusPlace.parts(ofList: list) {
            entries += try await read { reader throws(SQLiteError) in try reader.statuses.entries(part) }
            // A read is made on the caller's thread.
            await Task.yield()
        }
        return entries
    }

    package func setInvalid(_ judgements: [DeviceID: Bool]) async throws(LedgerError) -> Int {
        let known = try await read { reader throws(SQLiteError) in try reader.statuses.invalid(judgements.keys) }
        let changes = judgements.filter { known[$0.key] == !$0.value }
        guard !changes.isEmpty else { return 0 }
        return try await write(weight: changes.count) { session throws(SQLiteError) in
            try session.statuses.setInvalid(changes)
        }
    }
}

extension SQLiteLedger: PayloadIndex {
    package func verdicts(
        onPayload key: [UInt8], at now: Timestamp, limit: Int
    ) async throws(LedgerError) -> [IndexedVerdict] {
        try await read { reader throws(SQLiteError) in try reader.verdicts(onPayload: key, at: now, limit: limit) }
    }
}
