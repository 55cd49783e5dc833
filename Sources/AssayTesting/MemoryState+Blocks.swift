import AssayCore

extension MemoryState {
    mutating func block(_ target: BlockTarget, _ context: ChangeContext) -> BlockChange? {
        let block = Device.Block(target.kind, reason: context.reason, since: context.time)
        guard let app = app(of: target), let change = set(block, on: target) else { return nil }
        log(.block(target, of: app, change, context), at: context.time)
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
