import AssayCore

/// What signed results need.
extension WriterTransaction {
    // MARK: Keys

    func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) throws(PostgresError) -> Int {
        let table = ResultKeyTable(database: database)
        let known = try table.allToAdd()
        var added: [PublishedResultKey] = []
        for key in keys where !(known + added).contains(where: { $0.key.identifier == key.identifier }) {
            let signs = !(known + added).contains { $0.key.issuer == key.issuer }
            added.append(PublishedResultKey(key, publishedAt: context.time, signsFrom: signs ? context.time : nil))
            append(.publish(key, signs: signs, context), at: context.time)
        }
        try table.add(added)
        return added.count
    }

    func setSigning(
        _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
    ) throws(PostgresError) -> PublishedResultKey? {
        let table = ResultKeyTable(database: database)
        guard var key = try table.locked(identifier) else { return nil }
        guard key.signsFrom != time else { return key }
        try table.setSigning(identifier, from: time)
        append(.sign(with: key.key, from: time, context), at: context.time)
        key.signsFrom = time
        return key
    }

    // MARK: Places in status lists

    /// The place for each request.
    func statusPlaces(_ requests: [ResultStatusRequest]) throws(PostgresError) -> [ResultStatusPlace] {
        let until = Dictionary(requests.map { (StatusName($0), $0.until) }, uniquingKeysWith: max)
        let valid = try validDevices(among: Set(requests.map(\.device)))
        var places: [StatusName: ResultStatusPlace] = [:]
        var changed: Set<UInt32> = []
        // A second time only for a device that is not registered, whose place another transaction gave out between the two statements.
        while places.count < until.count {
            let wanted = until.filter { places[$0.key] == nil }.sorted { StatusName.isBefore($0.key, $1.key) }
                .map { (name: $0.key, until: $0.value) }
            let answers = try database.run(StatusTable.giving(wanted))
            guard answers.count == 2 else { throw .damaged("places in status lists have no result") }
            for (rows, isNew) in zip(answers, [false, true]) {
                try rows.forEach { row throws(PostgresError) in
                    let (name, place) = (try StatusName(row), ResultStatusPlace(number: row.int64(2)))
                    places[name] = place
                    if isNew, !valid.contains(name.device) { changed.insert(place.list) }
                    return true
                }
            }
        }
        if !changed.isEmpty { _ = try database.run([StatusTable.noting(changed)]) }
        return requests.compactMap { places[StatusName($0)] }
    }

    /// Those of some devices whose places are valid until the transaction ends.
    private func validDevices(among devices: Set<DeviceID>) throws(PostgresError) -> Set<DeviceID> {
        let answers = try database.run([Locks.counters(devices), StatusTable.invalid(devices)])
        guard let counters = answers.first, let invalid = answers.last else { throw .damaged("devices have no result") }
        let registered = try counters.all { (device: DeviceID(bytes: $0.bytes(0)), isBlocked: $0.int64(3) != 0) }
        return Set(registered.filter { !$0.isBlocked }.compactMap(\.device))
            .subtracting(try invalid.all { DeviceID(bytes: $0.bytes(0)) }.compactMap(\.self))
    }

    /// Of how many of the devices it was otherwise before.
    func setInvalid(_ judgements: [DeviceID: Bool]) throws(PostgresError) -> Int {
        _ = try database.run([Locks.counters(Set(judgements.keys))])
        let changed = try StatusTable(database: database).setInvalid(judgements)
        if !changed.isEmpty { _ = try database.run([StatusTable.noting(changed)]) }
        return changed.count
    }
}
