import AssayCore

/// The rules of `EnrolmentRegistry`.
extension MemoryState {
    mutating func add(_ some: [Enrolment], _ context: ChangeContext) -> [Bool] {
        let outcomes = some.map { add($0) }
        for change in AuditChange.enrolments(of: some, outcomes, context) { log(change, at: context.time) }
        return outcomes
    }

    private mutating func add(_ enrolment: Enrolment) -> Bool {
        guard index(of: enrolment.permit, app: enrolment.app) == nil else { return false }
        lastEnrolment += 1
        enrolments.append((lastEnrolment, enrolment))
        return true
    }

    mutating func removeEnrolment(_ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext) -> Bool {
        guard let index = index(of: permit, app: app), enrolments[index].enrolment.usedBy == nil else { return false }
        let enrolment = enrolments[index].enrolment
        if let replaced = enrolment.replaces {
            enrolments[index].enrolment = Enrolment(
                app: app, permit: permit, family: enrolment.family, createdAt: enrolment.createdAt, usedBy: replaced)
        } else {
            enrolments.remove(at: index)
        }
        log(.removeEnrolment(permit, of: app, context), at: context.time)
        return true
    }

    func enrolment(_ permit: Enrolment.Permit, of app: AppID) -> Enrolment? {
        index(of: permit, app: app).map { enrolments[$0].enrolment }
    }

    mutating func readmit(_ readmission: Readmission, _ context: ChangeContext) -> ReadmissionOutcome {
        guard let known = fleetDevice(serial: readmission.serial, app: readmission.app) else { return .notProvisioned }
        guard !isBlocked(known) else { return .blocked }
        let permit = Enrolment.Permit.serial(readmission.serial)
        if let before = enrolment(permit, of: readmission.app), before.readmits(known), !before.hasExpired(at: context.time) {
            return .pending(before)
        }
        let enrolment = Enrolment(readmission, replacing: known.device, at: context.time)
        if let index = index(of: permit, app: readmission.app) {
            enrolments[index].enrolment = enrolment
        } else {
            _ = add(enrolment)
        }
        log(.readmit(enrolment, context), at: context.time)
        return .readmitted(enrolment)
    }

    /// True if the registered device is blocked, or the key of any device that was provisioned under its serial number.
    private func isBlocked(_ known: FleetDevice) -> Bool {
        let keys = fleetDevices.filter { $0.serial == known.serial && $0.app == known.app }
            .map { DeviceKey(app: $0.app, keyID: $0.secretHash) }
        return device(known.device)?.isBlocked == true || keys.contains { blocks[.key($0)] != nil }
    }

    private mutating func supersede(_ known: FleetDevice, _ context: ChangeContext) {
        if let device = device(known.device) { _ = end(device, .superseded, context) }
        for index in fleetDevices.indices where fleetDevices[index] == known {
            fleetDevices[index].supersededAt = context.time
        }
    }

    private func index(of permit: Enrolment.Permit, app: AppID) -> Int? {
        enrolments.firstIndex { $0.enrolment.permit == permit && $0.enrolment.app == app }
    }

    func page(_ listing: EnrolmentListing) -> EnrolmentPage {
        let found = enrolments.filter { number, enrolment in
            number > listing.position && enrolment.app == listing.app
                && (listing.isUsed == nil || listing.isUsed == (enrolment.usedBy != nil))
        }
        let page = found.prefix(max(0, listing.limit))
        return EnrolmentPage(
            enrolments: page.map(\.enrolment), next: page.count < found.count ? page.last?.number ?? listing.position : nil)
    }

    func fleetDevice(serial: [UInt8], app: AppID) -> FleetDevice? {
        fleetDevices.first { $0.serial == serial && $0.app == app && $0.supersededAt == nil }
    }

    func fleetDevice(idempotencyKey key: [UInt8]) -> FleetDevice? {
        fleetDevices.first { !key.isEmpty && $0.idempotency == key }
    }

    mutating func provision(_ entry: FleetEntry) -> FleetOutcome {
        do throws(Rejection) {
            let known = fleetDevice(serial: entry.record.serial, app: entry.record.app)
            try checkProvisioned(entry, replacing: known)
            guard !refuses(entry.device), known.map({ !isBlocked($0) }) ?? true else {
                throw Rejection(.deviceBlocked, "\(entry.device.id)")
            }
            let permission = try permission(for: entry)
            try checkNew(entry.certificate)
            enrolments[permission].enrolment.usedBy = entry.device.id
            if let known { supersede(known, entry.context) }
            add(entry.device)
            fleetDevices.append(entry.record)
            add(entry.certificate, by: entry.context.origin, at: entry.context.time)
            return .provisioned
        } catch {
            guard let code = error.code.builtIn else { preconditionFailure("the checks of a ledger have built-in codes") }
            return .refused(code)
        }
    }

    private func checkProvisioned(_ entry: FleetEntry, replacing known: FleetDevice?) throws(Rejection) {
        let (record, device) = (entry.record, entry.device)
        if let known, entry.token != nil || enrolment(.serial(record.serial), of: record.app)?.readmits(known) != true {
            throw Rejection(.alreadyProvisioned, "\(known.device)")
        }
        let isProvisioned = fleetDevices.contains { $0.app == record.app && $0.secretHash == record.secretHash }
        guard !isProvisioned, devices[device.id] == nil, names[device.key] == nil else {
            throw Rejection(.alreadyProvisioned, "\(device.id)")
        }
        guard fleetDevice(idempotencyKey: record.idempotency) == nil else {
            throw Rejection(.idempotencyKeyReused, "\(device.id)")
        }
    }

    /// The index of the permission that the entry uses.
    private func permission(for entry: FleetEntry) throws(Rejection) -> Int {
        let permit = entry.token.map { Enrolment.Permit.token($0) } ?? .serial(entry.record.serial)
        guard let index = index(of: permit, app: entry.record.app) else { throw Rejection(.notEnrolled, "no permission") }
        let enrolment = enrolments[index].enrolment
        guard enrolment.usedBy == nil, !enrolment.hasExpired(at: entry.context.time),
            enrolment.family.isEmpty || enrolment.family == entry.family
        else { throw Rejection(.notEnrolled, "used, expired, or for another family") }
        return index
    }
}
