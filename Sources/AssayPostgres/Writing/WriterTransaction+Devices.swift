import AssayCore
import AssayLedger

/// Changes of devices and blocks, except those of entries.
extension WriterTransaction {
    /// Locks rows in the order of all transactions, and reads them.
    func lock(_ keys: GroupKeys) throws(PostgresError) -> GroupFacts {
        let trip = keys.trip
        let answers = try database.run(trip.map(\.statement))
        var facts = GroupFacts()
        for (step, rows) in zip(trip, answers) { try facts.read(step.part, rows) }
        return facts
    }

    // MARK: Blocks

    /// Sets a block, records it, and revokes the certificates of its devices. `nil` if the target is a device that is not registered.
    func block(_ target: BlockTarget, _ context: ChangeContext) throws(PostgresError) -> BlockChange? {
        guard let app = try lock(target) else { return nil }
        var change = try apply(
            BlockStatements.setting(target, of: app, reason: context.reason, since: context.time), to: target, app)
        append(.block(target, of: app, change, context), at: context.time)
        let revoked = try revokeCertificates(of: target, .privilegeWithdrawn, context)
        change.revoked = revoked.count
        _ = try database.run([StatusTable.noting(target, and: Set(revoked.map(\.device)))])
        return change
    }

    /// Lifts a block, and records it if there was one. `nil` if the target is a device that is not registered.
    func unblock(_ target: BlockTarget, _ context: ChangeContext) throws(PostgresError) -> BlockChange? {
        guard let app = try lock(target) else { return nil }
        let change = try apply(BlockStatements.lifting(target, of: app), to: target, app)
        if change.wasBlocked { append(.unblock(target, of: app, change, context), at: context.time) }
        switch target {
        case .device: break
        case .subject(let hash, let app): _ = try database.run([Locks.cleanUp([SubjectKey(subject: hash, app: app)])])
        case .key(let key): _ = try database.run([Locks.cleanUp([key])])
        }
        _ = try database.run([StatusTable.noting(target)])
        return change
    }

    /// Locks the row by which the target is blocked, then the counters of its devices, and returns its app. With the row of a subject or
    /// key, no device of it can be registered or removed. `nil` if the target is a device that is not registered.
    private func lock(_ target: BlockTarget) throws(PostgresError) -> AppID? {
        var keys = GroupKeys(of: [])
        switch target {
        case .device(let id):
            keys.add(id)
            guard try lock(keys).counters[id] != nil else { return nil }
            let app = try database.query("SELECT app FROM devices WHERE id = $1", .bytes(id.bytes)).first { AppID($0.text(0)) }
            guard let app = app ?? nil else { throw .damaged("a registered device has no app") }
            return app
        case .subject(let hash, let app):
            keys.add(SubjectKey(subject: hash, app: app))
            _ = try lock(keys)
            let devices = try database.query(
                "SELECT id FROM devices WHERE subject = $1 AND app = $2", .bytes(hash), .text(app.text)
            ).all { DeviceID(bytes: $0.bytes(0)) }
            try lock(counters: devices.compactMap(\.self))
            return app
        case .key(let key):
            keys.add(key)
            let device = try lock(keys).keys[key]?.device
            // The key may be a certified one too, of a device that has another.
            let certified = try database.find(CertificateTable.certificate(key))?.device
            try lock(counters: [device, certified].compactMap(\.self))
            return key.app
        }
    }

    func lock(counters devices: [DeviceID]) throws(PostgresError) {
        guard !devices.isEmpty else { return }
        _ = try database.run([Locks.counters(Set(devices))])
    }

    /// Runs the statements that set or lift a block; the last one returns the devices and their flags.
    private func apply(
        _ statements: [SQLStatement], to target: BlockTarget, _ app: AppID
    ) throws(PostgresError) -> BlockChange {
        let answers = try database.run([BlockStatements.exists(target, of: app)] + statements)
        guard let known = answers.first, let flagged = answers.last else { throw .damaged("a block has no result") }
        let devices = try flagged.all { (DeviceID(bytes: $0.bytes(0)), $0.int64(1) != 0) }
        for (id, _) in devices { if let id { note(.unclear(id)) } }
        return BlockChange(wasBlocked: !known.isEmpty, devices: devices.count, blocked: devices.count { $0.1 })
    }

    // MARK: Devices

    /// Adds devices that were attested elsewhere, and records the added ones.
    func add(imported some: [Device], _ context: ChangeContext) throws(PostgresError) -> [ImportOutcome] {
        let keys = GroupKeys(of: some)
        var facts = try lock(keys)
        let registered = facts.keys.values.compactMap(\.device)
        let known = try database.query(
            DeviceRow.selection + " WHERE id = ANY ($1::bytea[])", .bytesList(registered.map(\.bytes))
        ).all(DeviceRow.device)
        let byKey = Dictionary(known.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var changes = GroupChanges()
        let outcomes = some.map { facts.decide(imported: $0, byKey, &changes) }
        _ = try database.run(changes.trip(facts, keys))
        addedDevices += Int64(changes.registered.count)
        for change in AuditChange.imports(of: some, outcomes, context) { append(change, at: context.time) }
        return outcomes
    }

    /// Registers a device that nothing speaks against and whose rows are locked.
    func register(_ device: Device) throws(PostgresError) {
        let count = device.subject.map { subject in
            SQLStatement(
                "UPDATE subjects SET devices = devices + 1 WHERE subject = $1 AND app = $2", .bytes(subject),
                .text(device.app.text))
        }
        _ = try database.run(
            [DeviceTable.insertion(of: device)] + GroupChanges.registration(of: [(device, nil)]) + [count].compactMap(\.self)
                + GroupChanges.blocks(of: device))
        addedDevices += 1
    }

    /// Changes the flags of a device, and records what was set or cleared. `nil` if the app has no such device.
    func change(
        _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
    ) throws(PostgresError) -> DeviceFlagOutcome? {
        var keys = GroupKeys(of: [])
        keys.add(id)
        // Under the lock of its counter, which every change of the device takes first.
        guard try lock(keys).counters[id] != nil, let device = try database.find(DeviceTable.device(id)), device.app == app
        else { return nil }
        let (flags, outcome) = device.flags.applying(change, at: context.time)
        guard flags != device.flags else { return outcome }
        _ = try database.run([DeviceTable.keeping(flags, of: id)])
        note(.unclear(id))
        if let change = AuditChange.flag(change, of: id, app: app, outcome, context) { append(change, at: context.time) }
        return outcome
    }

    /// Removes a device, records that, and revokes its certificates. `nil` if it is not registered.
    func forget(_ id: DeviceID, _ context: ChangeContext) throws(PostgresError) -> ForgottenDevice? {
        guard let found = try database.find(DeviceTable.device(id)), try lock(GroupKeys(of: [found])).counters[id] != nil,
            // Read again under the locks, with the blocks that are in force now.
            let device = try database.find(DeviceTable.device(id))
        else { return nil }
        while try PayloadTable.remove(about: id, database) {}
        return try end(device, .cessationOfOperation, context)
    }

    /// Removes a registered device whose rows are locked, records that, and revokes its certificates for `reason`.
    func end(
        _ device: Device, _ reason: RevocationReason, _ context: ChangeContext
    ) throws(PostgresError) -> ForgottenDevice {
        let id = device.id
        var statements = [
            SQLStatement("DELETE FROM counters WHERE device = $1", .bytes(id.bytes)),
            SQLStatement("DELETE FROM devices WHERE id = $1", .bytes(id.bytes)),
            BlockStatements.removal(.device(id), of: device.app),
            SQLStatement(
                "UPDATE device_keys SET device = NULL WHERE key_id = $1 AND app = $2", .bytes(device.registration.keyID),
                .text(device.app.text)),
        ]
        // The key of a device that is blocked in any way stays blocked.
        if let block = device.blocks.first, !device.blocks.contains(where: { $0.kind == .key }) {
            statements += BlockStatements.setting(.key(device.key), of: device.app, reason: block.reason, since: block.since)
        }
        if let subject = device.subject {
            statements.append(
                SQLStatement(
                    "UPDATE subjects SET devices = devices - 1 WHERE subject = $1 AND app = $2", .bytes(subject),
                    .text(device.app.text)))
            statements.append(Locks.cleanUp([SubjectKey(subject: subject, app: device.app)]))
        }
        statements.append(Locks.cleanUp([device.key]))
        _ = try database.run(statements)
        addedDevices -= 1
        note(.unclear(id))
        let forgotten = ForgottenDevice(keyStaysBlocked: device.isBlocked)
        append(.forget(device, forgotten, context), at: context.time)
        try revokeCertificates(of: .device(id), reason, context)
        _ = try database.run([
            CertificateTable.erasure(of: id), SQLStatement("DELETE FROM submissions WHERE device = $1", .bytes(id.bytes)),
            StatusTable.removal(id), StatusTable.noting(.device(id)),
        ])
        return forgotten
    }

    /// Stores the outcomes of receipts' exchanges. Those of devices that are not registered change nothing.
    func keep(_ outcomes: [ReceiptOutcome]) throws(PostgresError) {
        let sorted = outcomes.enumerated().sorted { a, b in
            a.element.device == b.element.device
                ? a.offset < b.offset : a.element.device.bytes.lexicographicallyPrecedes(b.element.device.bytes)
        }
        _ = try database.run(sorted.map { DeviceTable.keeping($0.element) })
        for outcome in outcomes { note(.unclear(outcome.device)) }
    }
}
