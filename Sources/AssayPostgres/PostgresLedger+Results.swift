package import AssayCore

extension PostgresLedger: ResultKeyRegistry {
    package func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) async throws(LedgerError) -> Int {
        let known = Set(try await resultKeys().map(\.key.identifier))
        guard keys.contains(where: { !known.contains($0.identifier) }) else { return 0 }
        return try await write { transaction throws(PostgresError) in try transaction.publish(keys, context) }
    }

    package func resultKeys() async throws(LedgerError) -> [PublishedResultKey] {
        try await read { database throws(PostgresError) in try ResultKeyTable(database: database).all() }
    }

    package func setSigning(
        _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
    ) async throws(LedgerError) -> PublishedResultKey? {
        try await write { transaction throws(PostgresError) in try transaction.setSigning(identifier, from: time, context) }
    }
}

extension PostgresLedger: ResultStatusRegistry {
    package func statusPlaces(_ requests: [ResultStatusRequest]) async throws(LedgerError) -> [ResultStatusPlace] {
        guard !requests.isEmpty else { return [] }
        let known = try await find(StatusTable.places(requests))
        let places = requests.compactMap { request in
            known[StatusName(request)].flatMap { $0.until >= request.until ? $0.place : nil }
        }
        if places.count == requests.count {
            try await confirm()
            return places
        }
        return try await write(weight: requests.count) { transaction throws(PostgresError) in
            try transaction.statusPlaces(requests)
        }
    }

    package func statusLists() async throws(LedgerError) -> [ResultStatusList] {
        try await read { database throws(PostgresError) in try StatusTable(database: database).lists() }
    }

    package func statusEntries(ofList list: UInt32) async throws(LedgerError) -> [ResultStatusEntry] {
        var entries: [ResultStatusEntry] = []
        for part in ResultStatusPlace.parts(ofList: list) {
            entries += try await read { database throws(PostgresError) in try database.find(StatusTable.entries(part)) }
        }
        return entries
    }

    package func setInvalid(_ judgements: [DeviceID: Bool]) async throws(LedgerError) -> Int {
        guard !judgements.isEmpty else { return 0 }
        let known = try await find(StatusTable.named(judgements.keys))
        let changes = judgements.filter { known[$0.key] == !$0.value }
        guard !changes.isEmpty else { return 0 }
        return try await write(weight: changes.count) { transaction throws(PostgresError) in
            try transaction.setInvalid(changes)
        }
    }
}

extension PostgresLedger: PayloadIndex {
    package func verdicts(
        onPayload key: [UInt8], at now: Timestamp, limit: Int
    ) async throws(LedgerError) -> [IndexedVerdict] {
        try await find(PayloadTable.verdicts(onPayload: key, at: now, limit: limit))
    }
}
