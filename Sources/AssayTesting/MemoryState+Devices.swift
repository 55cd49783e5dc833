import AssayCore

extension MemoryState {
    func page(_ listing: DeviceListing) -> DevicePage {
        let found = numbers.sorted { $0.value < $1.value }.filter { $0.value > listing.position }
            .compactMap { device($0.key) }
            .filter { device in
                device.app == listing.app && (listing.subject == nil || device.subject == listing.subject)
                    && listing.selects(isBlocked: device.isBlocked, flags: device.flags)
            }
        let page = found.prefix(listing.limit)
        let last = page.last.flatMap { numbers[$0.id] }
        return DevicePage(devices: Array(page), next: page.count < found.count ? last : nil)
    }

    func use(ofAttestationKey key: [UInt8], at now: Timestamp) -> AttestationKeyUse {
        let late = devices.values.count {
            !key.isEmpty && $0.registration.attestationKey == key && now.milliseconds(since: $0.registeredAt) < 86_400_000
        }
        return AttestationKeyUse(lastDay: min(late, AttestationKeyUse.limit))
    }

    mutating func add(_ device: Device) {
        devices[device.id] = device
        names[device.key] = device.id
        lastNumber += 1
        numbers[device.id] = lastNumber
        for block in device.blocks {
            guard let target = device.blockTarget(block.kind) else { continue }
            blocks[target] = block
            noteStatusChange(of: target)
        }
    }

    mutating func add(imported some: [Device], _ context: ChangeContext) -> [ImportOutcome] {
        let outcomes = some.map { add(imported: $0) }
        for change in AuditChange.imports(of: some, outcomes, context) { log(change, at: context.time) }
        return outcomes
    }

    private mutating func add(imported device: Device) -> ImportOutcome {
        if let known = names[device.key].flatMap({ devices[$0] }) {
            return known.accounts(for: device) ? .present(known.id) : .conflict(known.id)
        }
        guard !refuses(device) else { return .refused(.deviceBlocked) }
        add(device)
        return .added(device.id)
    }

    mutating func forget(_ id: DeviceID, _ context: ChangeContext) -> ForgottenDevice? {
        indexed.removeAll { $0.device == id }
        guard let device = device(id) else { return nil }
        verdicts = verdicts.filter { $0.value.verdict.device != id }
        return end(device, .cessationOfOperation, context)
    }

    /// Removes a registered device, records that, and revokes its certificates for `reason`.
    mutating func end(_ device: Device, _ reason: RevocationReason, _ context: ChangeContext) -> ForgottenDevice {
        let id = device.id
        devices[id] = nil
        names[device.key] = nil
        numbers[id] = nil
        blocks[.device(id)] = nil
        if let block = device.blocks.first, blocks[.key(device.key)] == nil {
            blocks[.key(device.key)] = Device.Block(.key, reason: block.reason, since: block.since)
        }
        let forgotten = ForgottenDevice(keyStaysBlocked: device.isBlocked)
        log(.forget(device, forgotten, context), at: context.time)
        revokeCertificates(of: [id], reason, context)
        for index in certificates.indices where certificates[index].device == id {
            certificates[index] = certificates[index].withoutDER
        }
        submissions[id] = nil
        invalidDevices.remove(id)
        noteStatusChange(of: [id])
        return forgotten
    }

    mutating func change(
        _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
    ) -> DeviceFlagOutcome? {
        guard let device = devices[id], device.app == app else { return nil }
        let (flags, outcome) = device.flags.applying(change, at: context.time)
        devices[id]?.flags = flags
        if let change = AuditChange.flag(change, of: id, app: app, outcome, context) { log(change, at: context.time) }
        return outcome
    }

    // MARK: Receipts

    func receipts(in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int) -> DueReceipts {
        let due = devices.values.filter { device in
            device.app == queue.app && device.registration.environment == queue.environment
                && device.exchange.due.map { $0 <= now } == true
        }
        let first = due.sorted { ($0.exchange.due ?? now, numbers[$0.id] ?? 0) < ($1.exchange.due ?? now, numbers[$1.id] ?? 0) }
            .prefix(max(0, limit)).compactMap { device($0.id) }
        return DueReceipts(devices: first, count: min(due.count, DueReceipts.countLimit))
    }

    mutating func keep(_ outcome: ReceiptOutcome) {
        guard let device = devices[outcome.device] else { return }
        devices[outcome.device] = device.keeping(outcome)
    }
}

extension Device {
    fileprivate func keeping(_ outcome: ReceiptOutcome) -> Device {
        Device(
            id: id, app: app, subject: subject,
            registration: outcome.receipt.map { registration.replacing(receipt: $0) } ?? registration,
            registeredAt: registeredAt, blocks: blocks, counter: counter, counterWindow: counterWindow,
            lastAcceptedAt: lastAcceptedAt, exchange: outcome.exchange, flags: flags)
    }
}

extension MemoryState {
    mutating func block(_ target: BlockTarget, _ context: ChangeContext) -> BlockChange? {
        let block = Device.Block(target.kind, reason: context.reason, since: context.time)
        guard let app = app(of: target), var change = set(block, on: target) else { return nil }
        log(.block(target, of: app, change, context), at: context.time)
        let named = devices.values.filter { $0.blockTarget(target.kind) == target }
        change.revoked = revokeCertificates(of: Set(named.map(\.id)), .privilegeWithdrawn, context)
        if case .key(let key) = target {
            change.revoked += revokeCertificates(ofCertified: key, .privilegeWithdrawn, context)
        }
        return change
    }

    mutating func unblock(_ target: BlockTarget, _ context: ChangeContext) -> BlockChange? {
        guard let app = app(of: target), let change = set(nil, on: target) else { return nil }
        if change.wasBlocked { log(.unblock(target, of: app, change, context), at: context.time) }
        return change
    }

    private mutating func set(_ block: Device.Block?, on target: BlockTarget) -> BlockChange? {
        if case .device(let id) = target, devices[id] == nil { return nil }
        let wasBlocked = blocks.updateValue(block, on: target) != nil
        noteStatusChange(of: target)
        let named = devices.values.filter { $0.blockTarget(target.kind) == target }
        return BlockChange(
            wasBlocked: wasBlocked, devices: named.count, blocked: named.count { device($0.id)?.isBlocked == true })
    }

    /// True if the key or the subject of a new device is blocked.
    func refuses(_ device: Device) -> Bool {
        [BlockKind.subject, .key].compactMap { device.blockTarget($0) }.contains { blocks[$0] != nil }
    }

    func page(_ listing: BlockListing) -> BlockPage {
        let found = blocks.filter { app(of: $0.key) == listing.app && listing.asks(for: $0.key) }
            .sorted { $0.key.position < $1.key.position }
            .map { BlockRecord($0.key, reason: $0.value.reason, since: $0.value.since) }
        let page = found.prefix(listing.limit)
        return BlockPage(blocks: Array(page), next: page.count < found.count ? page.last?.target.position : nil)
    }

    /// The app of a target; `nil` for a device that is not registered.
    func app(of target: BlockTarget) -> AppID? {
        switch target {
        case .device(let id): devices[id]?.app
        case .subject(_, let app): app
        case .key(let key): key.app
        }
    }
}

extension BlockListing {
    fileprivate func asks(for target: BlockTarget) -> Bool {
        if let position, target.position <= position { return false }
        return switch choice {
        case .all: true
        case .kind(let kind): target.kind == kind
        case .target(let wanted): target.position == wanted.position
        }
    }
}

extension [BlockTarget: Device.Block] {
    /// Sets or removes the block of a target, and returns the block before.
    fileprivate mutating func updateValue(_ block: Device.Block?, on target: BlockTarget) -> Device.Block? {
        defer { self[target] = block }
        return self[target]
    }
}
