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
        let wanted = until.sorted { StatusName.isBefore($0.key, $1.key) }.map { (name: $0.key, until: $0.value) }
        let devices = Set(wanted.map(\.name.device))
        let answers = try database.run(
            [Locks.counters(devices), StatusTable.invalid(devices)] + StatusTable.giving(wanted))
        guard answers.count == 4 else { throw .damaged("places in status lists have no result") }
        let blocked = try answers[0].all { (DeviceID(bytes: $0.bytes(0)), $0.int64(3) != 0) }
        let invalid = Set(try answers[1].all { DeviceID(bytes: $0.bytes(0)) })
        let valid = Set(blocked.filter { !$0.1 }.map(\.0)).subtracting(invalid)
        var places: [StatusName: ResultStatusPlace] = [:]
        var changed: Set<UInt32> = []
        for (index, rows) in answers.suffix(2).enumerated() {
            try rows.forEach { row throws(PostgresError) in
                let (name, place) = (try StatusName(row), ResultStatusPlace(number: row.int64(2)))
                places[name] = place
                if index == 1, !valid.contains(name.device) { changed.insert(place.list) }
                return true
            }
        }
        if !changed.isEmpty { _ = try database.run([StatusTable.noting(changed)]) }
        let found = requests.compactMap { places[StatusName($0)] }
        guard found.count == requests.count else { throw .damaged("a place in a status list was not given out") }
        return found
    }

    /// False, and no change, if it was so before, or if the device is not registered.
    func setInvalid(_ isInvalid: Bool, _ device: DeviceID) throws(PostgresError) -> Bool {
        guard try !(database.run([Locks.counters([device])]).first?.isEmpty ?? true),
            try StatusTable(database: database).setInvalid(isInvalid, device)
        else { return false }
        _ = try database.run([StatusTable.noting(.device(device))])
        return true
    }
}
