import AssayCore

extension MemoryState {
    func page(_ listing: DeviceListing) -> DevicePage {
        let found = numbers.sorted { $0.value < $1.value }.filter { $0.value > listing.position }
            .compactMap { device($0.key) }
            .filter { device in
                device.app == listing.app && (listing.subject == nil || device.subject == listing.subject)
                    && (listing.isBlocked == nil || device.isBlocked == listing.isBlocked)
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
            if let target = device.blockTarget(block.kind) { blocks[target] = block }
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
        guard let device = device(id) else { return nil }
        devices[id] = nil
        names[device.key] = nil
        numbers[id] = nil
        blocks[.device(id)] = nil
        verdicts = verdicts.filter { $0.value.device != id }
        if let block = device.blocks.first, blocks[.key(device.key)] == nil {
            blocks[.key(device.key)] = Device.Block(.key, reason: block.reason, since: block.since)
        }
        let forgotten = ForgottenDevice(keyStaysBlocked: device.isBlocked)
        log(.forget(device, forgotten, context), at: context.time)
        return forgotten
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
            lastAcceptedAt: lastAcceptedAt, exchange: outcome.exchange)
    }
}
