import AssayCore

extension BlockRegistryContract {
    static let listingChecks: [ContractCheck] = [
        ContractCheck("A listing shows target, reason and time of each block, with or without registered devices") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let unseen = DeviceKey(app: device.app, keyID: [7])
            let targets: [BlockTarget] = [
                .device(device.id), .subject(LedgerUnderTest.subject, of: device.app), .subject([7], of: device.app),
                .key(unseen),
            ]
            try same(await it.blocks(of: device.app), [], "what is listed before anything is blocked")
            var expected: [BlockRecord] = []
            for (index, target) in targets.enumerated() {
                let since = LedgerUnderTest.now.adding(milliseconds: Int64(index))
                _ = try await it.ledger.block(target, reason: "reason \(index)", at: since)
                expected.append(BlockRecord(target, reason: "reason \(index)", since: since))
            }
            let found = try await it.blocks(of: device.app)
            try same(Set(found), Set(expected), "what is listed")
            try same(found.count, expected.count, "how many are listed")
            let later = LedgerUnderTest.now.adding(milliseconds: 60_000)
            _ = try await it.ledger.block(.key(unseen), reason: "another", at: later)
            let again = BlockRecord(.key(unseen), reason: "another", since: later)
            try same(await it.blocks(of: device.app).last, again, "a key that is blocked again")
            for target in targets { _ = try await it.ledger.unblock(target) }
            try same(await it.blocks(of: device.app), [], "what is listed when all is lifted")
        },
        ContractCheck("A listing shows the blocks of one app ordered by kind and target") { it in
            let (app, own) = try await it.blockSome()
            _ = try await it.blockSome(of: "other")
            for limit in [1, 2, 3, own.count - 1, own.count, own.count + 1, 100] {
                let pages = try await it.blockPages { BlockListing(app: app, position: $0, limit: limit) }
                try same(pages.flatMap { $0.map(\.target) }, own, "the blocks of all pages of \(limit)")
                try same(pages.allSatisfy { $0.count <= limit }, true, "no page is longer than \(limit)")
            }
        },
        ContractCheck("A listing selects blocks of one kind") { it in
            let (app, own) = try await it.blockSome()
            _ = try await it.blockSome(of: "other")
            for kind in BlockKind.allCases {
                for limit in [1, 2, 100] {
                    let pages = try await it.blockPages {
                        BlockListing(app: app, .kind(kind), position: $0, limit: limit)
                    }
                    let wanted = own.filter { $0.kind == kind }
                    try same(pages.flatMap { $0.map(\.target) }, wanted, "blocks by \(kind), \(limit) a page")
                }
            }
        },
        ContractCheck("A listing selects the block of exactly one target") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let targets = BlockKind.allCases.compactMap { device.blockTarget($0) }
            for target in targets {
                _ = try await it.block(target)
                // Similar targets: longer, shorter, or of another app.
                let near = [LedgerUnderTest.subject + [0], Array(LedgerUnderTest.subject.dropLast())]
                for bytes in near { _ = try await it.block(.subject(bytes, of: device.app)) }
                let other = try Device.sample(app: "other").app
                _ = try await it.block(.key(DeviceKey(app: other, keyID: device.key.keyID)))
                for asked in targets {
                    let found = try await it.ledger.blocks(BlockListing(app: device.app, .target(asked), limit: 10))
                    let record = BlockRecord(asked, reason: "stolen", since: LedgerUnderTest.now)
                    let wanted = BlockPage(blocks: asked == target ? [record] : [], next: nil)
                    try same(found, wanted, "the block by \(asked.kind) when the \(target.kind) is blocked")
                }
                _ = try await it.ledger.unblock(target)
            }
        },
        ContractCheck("A listing shows no blocks of another app's devices") { it in
            let device = try await it.register(.sample())
            _ = try await it.block(.device(device.id))
            let other = try Device.sample(app: "other").app
            for choice in [BlockListing.Choice.all, .kind(.device), .target(.device(device.id))] {
                let found = try await it.ledger.blocks(BlockListing(app: other, choice, limit: 10))
                try same(found, BlockPage(blocks: [], next: nil), "the listing of \(choice)")
            }
        },
        ContractCheck("A listing shows the blocked key of a forgotten device") { it in
            _ = try await it.ledger.forget(it.register(.sample()).id)
            for kind in BlockKind.allCases {
                let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
                guard let target = device.blockTarget(kind) else { throw ContractViolation("the device has no \(kind)") }
                _ = try await it.block(target, reason: "\(kind)")
                _ = try await it.ledger.forget(device.id)
                let key = BlockRecord(.key(device.key), reason: "\(kind)", since: LedgerUnderTest.now)
                let subject = BlockRecord(target, reason: "\(kind)", since: LedgerUnderTest.now)
                let wanted = kind == .subject ? [subject, key] : [key]
                try same(
                    await it.blocks(of: device.app), wanted, "what is listed when a device blocked by \(kind) is forgotten")
                for record in wanted { _ = try await it.ledger.unblock(record.target) }
            }
        },
        ContractCheck("A listing continues after blocks were set and lifted between two pages") { it in
            let (app, own) = try await it.blockSome()
            let first = try await it.ledger.blocks(BlockListing(app: app, limit: 5))
            try same(first.blocks.map(\.target), Array(own[..<5]), "the first page")
            guard let next = first.next else { throw ContractViolation("the first page says that it is the last") }
            // Lifted: the last block of the page, the first of the next, the last of all. One of the page gets another reason. One
            // new block comes before the page, one after it.
            for index in [4, 5, own.count - 1] { _ = try await it.ledger.unblock(own[index]) }
            _ = try await it.block(own[3], reason: "another")
            _ = try await it.block(.subject([0], of: app))
            _ = try await it.block(.subject([3], of: app))
            let rest = try await it.blockPages(from: next) { BlockListing(app: app, position: $0, limit: 2) }
            let wanted = own[6..<(own.count - 1)] + [.subject([3], of: app)]
            let shown = rest.flatMap { $0.map(\.target) }
            try same(shown, wanted.sorted { $0.position < $1.position }, "the rest")
        },
        ContractCheck("A listing shows a device that is forgotten between two pages by its key") { it in
            let (app, own) = try await it.blockSome()
            let first = try await it.ledger.blocks(BlockListing(app: app, limit: 2))
            guard let next = first.next, case .device(let third) = own[2] else {
                throw ContractViolation("the first page is the last, or the third block is not of a device")
            }
            let device = try await it.device(third)
            _ = try await it.ledger.forget(third)
            let rest = try await it.blockPages(from: next) { BlockListing(app: app, position: $0, limit: 2) }
            let wanted = own[3...] + [.key(device.key)]
            let shown = rest.flatMap { $0.map(\.target) }
            try same(shown, wanted.sorted { $0.position < $1.position }, "the rest")
        },
        ContractCheck("A listing continues after each block") { it in
            let (app, own) = try await it.blockSome()
            for (index, target) in own.enumerated() {
                let listing = BlockListing(app: app, position: target.position, limit: 100)
                let found = try await it.ledger.blocks(listing).blocks.map(\.target)
                try same(found, Array(own[(index + 1)...]), "the blocks behind number \(index)")
            }
        },
    ]

}

extension LedgerUnderTest {
    /// Blocks three devices, and subjects and keys without a device, in random order. Returns the targets in the order of listings.
    fileprivate func blockSome(of name: String = "contract") async throws -> (app: AppID, targets: [BlockTarget]) {
        let app = try Device.sample(app: name).app
        var devices: [DeviceID] = []
        for _ in 0..<3 { devices.append(try await register(.sample(app: name)).id) }
        devices.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        // Prefixes come first, and bytes are unsigned.
        let ordered: [[UInt8]] = [[1], [1, 0], [1, 2], [2], [0x7F, 9], [0x80], [0xFF, 0xFF]]
        let targets =
            devices.map { BlockTarget.device($0) } + ordered.map { .subject($0, of: app) }
            + ordered.map { .key(DeviceKey(app: app, keyID: $0)) }
        for target in targets.shuffled() { _ = try await block(target) }
        return (app, targets)
    }

    /// All blocks of an app.
    fileprivate func blocks(of app: AppID) async throws -> [BlockRecord] {
        let page = try await ledger.blocks(BlockListing(app: app, limit: 100))
        try same(page.next, nil, "where the listing goes on behind all that there is")
        return page.blocks
    }

    /// The blocks of each page, in order.
    fileprivate func blockPages(
        from start: BlockPosition? = nil, _ listing: (BlockPosition?) -> BlockListing
    ) async throws -> [[BlockRecord]] {
        var pages: [[BlockRecord]] = []
        var position = start
        repeat {
            let page = try await ledger.blocks(listing(position))
            pages.append(page.blocks)
            position = page.next
            guard pages.count <= 100 else { throw ContractViolation("the listing does not end") }
        } while position != nil
        return pages
    }
}
