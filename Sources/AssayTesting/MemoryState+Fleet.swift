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
        enrolments.remove(at: index)
        log(.removeEnrolment(permit, of: app, context), at: context.time)
        return true
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

    func fleetDevice(idempotencyKey key: [UInt8]) -> FleetDevice? {
        fleetDevices.first { !key.isEmpty && $0.idempotency == key }
    }

    mutating func provision(_ entry: FleetEntry) -> FleetOutcome {
        do throws(Rejection) {
            try checkProvisioned(entry)
            guard !refuses(entry.device) else { throw Rejection(.deviceBlocked, "\(entry.device.id)") }
            let permission = try permission(for: entry)
            try checkNew(entry.certificate)
            enrolments[permission].enrolment.usedBy = entry.device.id
            add(entry.device)
            fleetDevices.append(entry.record)
            add(entry.certificate, by: entry.context.origin, at: entry.context.time)
            return .provisioned
        } catch {
            guard let code = error.code.builtIn else { preconditionFailure("the checks of a ledger have built-in codes") }
            return .refused(code)
        }
    }

    private func checkProvisioned(_ entry: FleetEntry) throws(Rejection) {
        let (record, device) = (entry.record, entry.device)
        let isProvisioned = fleetDevices.contains {
            $0.app == record.app && ($0.serial == record.serial || $0.secretHash == record.secretHash)
        }
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
        guard enrolment.usedBy == nil, enrolment.expiry.map({ entry.context.time < $0 }) ?? true,
            enrolment.family.isEmpty || enrolment.family == entry.family
        else { throw Rejection(.notEnrolled, "used, expired, or for another family") }
        return index
    }
}
