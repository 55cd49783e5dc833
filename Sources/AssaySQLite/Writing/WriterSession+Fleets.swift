import AssayCore

/// Fleets inside the transaction: permissions, readmissions and provisioning.
extension WriterSession {
    func add(_ some: [Enrolment], _ context: ChangeContext) throws(SQLiteError) -> [Bool] {
        var outcomes: [Bool] = []
        outcomes.reserveCapacity(some.count)
        for enrolment in some { outcomes.append(try enrolments.add(enrolment)) }
        for change in AuditChange.enrolments(of: some, outcomes, context) { try audit.append(change, at: context.time) }
        return outcomes
    }

    func removeEnrolment(
        _ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext
    ) throws(SQLiteError) -> Bool {
        guard try enrolments.remove(permit, of: app) else { return false }
        try audit.append(.removeEnrolment(permit, of: app, context), at: context.time)
        return true
    }

    // MARK: Readmission

    func readmit(_ readmission: Readmission, _ context: ChangeContext) throws(SQLiteError) -> ReadmissionOutcome {
        guard let known = try fleet.device(serial: readmission.serial, app: readmission.app) else { return .notProvisioned }
        guard try !isBlocked(known) else { return .blocked }
        let before = try enrolments.enrolment(.serial(readmission.serial), of: readmission.app)
        if let before, before.readmits(known), !before.hasExpired(at: context.time) { return .pending(before) }
        let enrolment = Enrolment(readmission, replacing: known.device, at: context.time)
        try enrolments.put(enrolment)
        try audit.append(.readmit(enrolment, context), at: context.time)
        return .readmitted(enrolment)
    }

    /// True if the registered device is blocked, or the key of any device that was provisioned under its serial number.
    private func isBlocked(_ known: FleetDevice) throws(SQLiteError) -> Bool {
        if try devices.device(known.device)?.isBlocked == true { return true }
        return try fleet.hasBlockedKey(serial: known.serial, app: known.app)
    }

    /// Ends what a device that is replaced has: its registration, its certificates, and its claim to the serial number.
    private func supersede(_ known: FleetDevice, _ context: ChangeContext) throws(SQLiteError) {
        if let device = try devices.device(known.device) { _ = try end(device, .superseded, context) }
        try fleet.supersede(serial: known.serial, app: known.app, at: context.time)
    }

    // MARK: Provisioning

    /// All checks come before the first write, so a refusal has nothing to revert.
    func provision(_ entry: FleetEntry) throws(SQLiteError) -> FleetOutcome {
        let known = try fleet.device(serial: entry.record.serial, app: entry.record.app)
        if let code = try objection(to: entry, replacing: known) { return .refused(code) }
        try enrolments.use(entry.permit, of: entry.record.app, by: entry.device.id)
        if let known { try supersede(known, entry.context) }
        guard try add(entry.device) else { throw .damaged("a device that is not registered cannot be registered") }
        let certificate = try issue(entry.certificate, by: entry.context.origin, at: entry.context.time)
        try fleet.add(entry.record, certificate: certificate)
        return .provisioned
    }

    /// The first in the order that `EnrolmentRegistry` documents.
    ///
    /// - Parameter known: the present device of the serial number.
    private func objection(to entry: FleetEntry, replacing known: FleetDevice?) throws(SQLiteError) -> ReasonCode? {
        let enrolment = try enrolments.enrolment(entry.permit, of: entry.record.app)
        if let known, entry.token != nil || enrolment?.readmits(known) != true { return .alreadyProvisioned }
        if try fleet.contains(secretHash: entry.record.secretHash, app: entry.record.app) { return .alreadyProvisioned }
        if try devices.contains(entry.device) { return .alreadyProvisioned }
        if try fleet.device(idempotencyKey: entry.record.idempotency) != nil { return .idempotencyKeyReused }
        if try blocks.refuses(entry.device) { return .deviceBlocked }
        if let known, try isBlocked(known) { return .deviceBlocked }
        guard let enrolment, enrolment.usedBy == nil, !enrolment.hasExpired(at: entry.context.time),
            enrolment.family.isEmpty || enrolment.family == entry.family
        else { return .notEnrolled }
        return try certificates.objection(toAdding: entry.certificate)
    }
}

extension FleetEntry {
    /// What the permission for the entry names.
    fileprivate var permit: Enrolment.Permit { token.map { .token($0) } ?? .serial(record.serial) }
}
