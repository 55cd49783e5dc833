import AssayCore
import AssayLedger

/// Changes of devices and blocks inside the transaction, except those of entries.
extension WriterSession {
    /// Registers a device. False, and no change, if its key or id is registered.
    func add(_ device: Device) throws(SQLiteError) -> Bool {
        guard try devices.add(device) else { return false }
        try counters.add(device)
        for block in device.blocks {
            guard let target = device.blockTarget(block.kind) else { continue }
            _ = try blocks.set(target, reason: block.reason, at: block.since, changed: noteBlock)
        }
        return true
    }

    private func add(imported device: Device) throws(SQLiteError) -> ImportOutcome {
        if let known = try devices.device(device.key) {
            return known.accounts(for: device) ? .present(known.id) : .conflict(known.id)
        }
        guard try !blocks.refuses(device) else { return .refused(.deviceBlocked) }
        guard try add(device) else { return .conflict(device.id) }
        return .added(device.id)
    }

    /// Sets a block, records it, and revokes the certificates of its devices. `nil` if the target is a device that is not registered.
    func block(_ target: BlockTarget, _ context: ChangeContext) throws(SQLiteError) -> BlockChange? {
        let change = try blocks.set(target, reason: context.reason, at: context.time, changed: noteBlock)
        guard var change, let app = try app(of: target) else { return nil }
        try audit.append(.block(target, of: app, change, context), at: context.time)
        change.revoked = try revokeCertificates(of: target, .privilegeWithdrawn, context)
        return change
    }

    /// Lifts a block, and records it if there was one. `nil` if the target is a device that is not registered.
    func unblock(_ target: BlockTarget, _ context: ChangeContext) throws(SQLiteError) -> BlockChange? {
        guard let change = try blocks.lift(target, changed: noteBlock) else { return nil }
        if change.wasBlocked, let app = try app(of: target) {
            try audit.append(.unblock(target, of: app, change, context), at: context.time)
        }
        return change
    }

    private func app(of target: BlockTarget) throws(SQLiteError) -> AppID? {
        switch target {
        case .device(let id): try devices.device(id)?.app
        case .subject(_, let app): app
        case .key(let key): key.app
        }
    }

    /// Adds devices that were attested elsewhere, and records the added ones.
    func add(imported some: [Device], _ context: ChangeContext) throws(SQLiteError) -> [ImportOutcome] {
        var outcomes: [ImportOutcome] = []
        outcomes.reserveCapacity(some.count)
        for device in some { outcomes.append(try add(imported: device)) }
        for change in AuditChange.imports(of: some, outcomes, context) { try audit.append(change, at: context.time) }
        return outcomes
    }

    /// Changes the flags of a device, and records what was set or cleared. `nil` if the app has no such device.
    func change(
        _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
    ) throws(SQLiteError) -> DeviceFlagOutcome? {
        guard let device = try devices.device(id), device.app == app else { return nil }
        let (flags, outcome) = device.flags.applying(change, at: context.time)
        guard flags != device.flags else { return outcome }
        try devices.keep(flags, of: id)
        note(.unclear(id))
        if let change = AuditChange.flag(change, of: id, app: app, outcome, context) {
            try audit.append(change, at: context.time)
        }
        return outcome
    }

    /// Removes a device, records that, and revokes its certificates. `nil` if it is not registered.
    func forget(_ id: DeviceID, _ context: ChangeContext) throws(SQLiteError) -> ForgottenDevice? {
        guard let device = try devices.device(id) else { return nil }
        while try payloads.remove(about: id) {}
        return try end(device, .cessationOfOperation, context)
    }

    /// Removes a registered device, records that, and revokes its certificates for `reason`.
    func end(
        _ device: Device, _ reason: RevocationReason, _ context: ChangeContext
    ) throws(SQLiteError) -> ForgottenDevice {
        let id = device.id
        try counters.remove(id)
        try devices.remove(id)
        let wasBlocked = try blocks.inherit(from: device)
        note(.unclear(id))
        let forgotten = ForgottenDevice(keyStaysBlocked: wasBlocked)
        try audit.append(.forget(device, forgotten, context), at: context.time)
        try revokeCertificates(of: .device(id), reason, context)
        try certificates.eraseDER(of: id)
        try submissions.remove(id)
        try statuses.remove(id)
        return forgotten
    }

    /// Stores the outcome of a receipt's exchange. No change if the device is not registered.
    func keep(_ outcome: ReceiptOutcome) throws(SQLiteError) {
        try devices.keep(outcome)
        note(.unclear(outcome.device))
    }
}
