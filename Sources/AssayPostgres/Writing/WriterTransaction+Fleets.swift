import AssayCore

/// Fleets: permissions, readmissions and provisioning.
extension WriterTransaction {
    private var enrolments: EnrolmentTable { EnrolmentTable(database: database) }
    private var fleet: FleetTable { FleetTable(database: database) }

    func add(_ some: [Enrolment], _ context: ChangeContext) throws(PostgresError) -> [Bool] {
        let outcomes = try enrolments.add(some)
        for change in AuditChange.enrolments(of: some, outcomes, context) { append(change, at: context.time) }
        return outcomes
    }

    func removeEnrolment(
        _ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext
    ) throws(PostgresError) -> Bool {
        guard try enrolments.remove(permit, of: app) else { return false }
        append(.removeEnrolment(permit, of: app, context), at: context.time)
        return true
    }

    // MARK: Readmission

    func readmit(_ readmission: Readmission, _ context: ChangeContext) throws(PostgresError) -> ReadmissionOutcome {
        let locked = try lock(serial: readmission.serial, of: readmission.app, permit: .serial(readmission.serial), besides: [])
        guard let known = locked.known else { return .notProvisioned }
        guard try !isBlocked(known, locked.facts) else { return .blocked }
        if let before = locked.enrolment, before.readmits(known), !before.hasExpired(at: context.time) {
            return .pending(before)
        }
        let enrolment = Enrolment(readmission, replacing: known.device, at: context.time)
        try enrolments.put(enrolment)
        append(.readmit(enrolment, context), at: context.time)
        return .readmitted(enrolment)
    }

    /// True if the registered device is blocked, or the key of any device that was provisioned under its serial number, or that of a
    /// certificate of such a device.
    private func isBlocked(_ known: FleetDevice, _ facts: GroupFacts) throws(PostgresError) -> Bool {
        if facts.counters[known.device]?.isBlocked == true { return true }
        return try fleet.keys(serial: known.serial, app: known.app).contains { facts.keys[$0]?.isBlocked == true }
    }

    // MARK: Locks

    private struct LockedSerial {
        var facts: GroupFacts
        /// All rows that the locks may have made.
        let keys: GroupKeys
        let known: FleetDevice?
        let enrolment: Enrolment?
    }

    /// Locks what a serial number's devices can be blocked by, then its permission and its record.
    ///
    /// - Parameters:
    ///   - permit: of the permission to lock.
    ///   - devices: others to lock, with the keys of their certificates.
    private func lock(
        serial: [UInt8], of app: AppID, permit: Enrolment.Permit, besides devices: [(Device, certified: DeviceKey)]
    ) throws(PostgresError) -> LockedSerial {
        var keys = GroupKeys(of: devices.map(\.0))
        for (_, certified) in devices { keys.add(certified) }
        let generations = try fleet.keys(serial: serial, app: app)
        for key in generations { keys.add(key) }
        let known = try fleet.device(serial: serial, app: app)
        if let known {
            keys.add(known.device)
            if let device = try database.find(DeviceTable.device(known.device)) { keys.add(device) }
        }
        let facts = try lock(keys)
        let enrolment = try enrolments.enrolment(permit, of: app, isLocked: true)
        try fleet.lock(serial: serial, app: app)
        // Another device may have been provisioned under the number before the locks were taken.
        guard try fleet.device(serial: serial, app: app) == known, try fleet.keys(serial: serial, app: app) == generations
        else {
            throw PostgresError(.server("40001"), "the serial number was provisioned meanwhile")
        }
        return LockedSerial(facts: facts, keys: keys, known: known, enrolment: enrolment)
    }

    // MARK: Provisioning

    /// All checks come before the first write.
    func provision(_ entry: FleetEntry) throws(PostgresError) -> FleetOutcome {
        let certified = DeviceKey(app: entry.certificate.app, keyID: entry.certificate.keyID)
        let locked = try lock(
            serial: entry.record.serial, of: entry.record.app, permit: entry.permit, besides: [(entry.device, certified)])
        if let code = try objection(to: entry, locked) {
            _ = try database.run([Locks.cleanUp(locked.keys.subjects), Locks.cleanUp(locked.keys.keys)])
            return .refused(code)
        }
        try enrolments.use(entry.permit, of: entry.record.app, by: entry.device.id)
        if let known = locked.known { try supersede(known, entry.context) }
        // The rows of the new device again: those of the one before may have been its own, and are removed.
        _ = try lock(GroupKeys(of: [entry.device]))
        try register(entry.device)
        let certificate = try issue(entry.certificate, by: entry.context.origin, at: entry.context.time)
        try fleet.add(entry.record, certificate: certificate)
        _ = try database.run([Locks.cleanUp(locked.keys.subjects), Locks.cleanUp(locked.keys.keys)])
        return .provisioned
    }

    /// Ends what a device that is replaced has: its registration, its certificates, and its claim to the serial number.
    private func supersede(_ known: FleetDevice, _ context: ChangeContext) throws(PostgresError) {
        if let device = try database.find(DeviceTable.device(known.device)) { _ = try end(device, .superseded, context) }
        try fleet.supersede(serial: known.serial, app: known.app, at: context.time)
    }

    /// The first in the order that `EnrolmentRegistry` documents.
    private func objection(to entry: FleetEntry, _ locked: LockedSerial) throws(PostgresError) -> ReasonCode? {
        if let known = locked.known, entry.token != nil || locked.enrolment?.readmits(known) != true {
            return .alreadyProvisioned
        }
        if try fleet.contains(secretHash: entry.record.secretHash, app: entry.record.app) { return .alreadyProvisioned }
        let facts = locked.facts
        if facts.keys[entry.device.key]?.device != nil || facts.counters[entry.device.id] != nil { return .alreadyProvisioned }
        if try fleet.device(idempotencyKey: entry.record.idempotency) != nil { return .idempotencyKeyReused }
        if facts.isBlocked(entry.device) { return .deviceBlocked }
        if let known = locked.known, try isBlocked(known, facts) { return .deviceBlocked }
        guard let enrolment = locked.enrolment, enrolment.usedBy == nil, !enrolment.hasExpired(at: entry.context.time),
            enrolment.family.isEmpty || enrolment.family == entry.family
        else { return .notEnrolled }
        return try objection(toAdding: entry.certificate, facts)
    }
}

extension FleetEntry {
    /// What the permission for the entry names.
    fileprivate var permit: Enrolment.Permit { token.map { .token($0) } ?? .serial(record.serial) }
}
