import AssayCore

extension MemoryState {
    func page(_ listing: BlockListing) -> BlockPage {
        let found = blocks.filter { app(of: $0.key) == listing.app && listing.asks(for: $0.key) }
            .sorted { $0.key.position < $1.key.position }
            .map { BlockRecord($0.key, reason: $0.value.reason, since: $0.value.since) }
        let page = found.prefix(listing.limit)
        return BlockPage(blocks: Array(page), next: page.count < found.count ? page.last?.target.position : nil)
    }

    /// The app that a target is of; `nil` for a device that is not on record.
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
