import AssayCore

extension LedgerContract {
    static let blockTargetQuestions = [
        Question("blocks every device of a subject, and no other") { it in
            var own: [Device] = []
            for _ in 0..<3 { own.append(try await it.register(.sample(subject: LedgerUnderTest.subject))) }
            let others = [
                try await it.register(.sample()),
                try await it.register(.sample(subject: [UInt8](repeating: 1, count: 32))),
                try await it.register(.sample(app: "other", subject: LedgerUnderTest.subject)),
            ]
            for device in own + others { _ = try await it.bothWays(device) }
            let change = try await it.block(.subject(LedgerUnderTest.subject, of: own[0].app))
            try same(change, BlockChange(wasBlocked: false, devices: 3, blocked: 3), "what it came to")
            for device in own {
                let block = Device.Block(.subject, reason: "stolen", since: LedgerUnderTest.now)
                try same(await it.bothWays(device)?.blocks, [block], "the block of a device of the subject")
                try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
                try await it.expect(.sample(about: device.id), .refused(.deviceBlocked), "evidence without a counter")
            }
            for device in others { try await it.expect(.advance(device.id, to: 1), .committed, "another's counter") }
        },
        Question("blocks the device of a key, and no other") { it in
            let keyID = SecureRandom.bytes(32)
            let device = try await it.register(.sample(keyID: keyID))
            let other = try await it.register(.sample(app: "other", keyID: keyID))
            let change = try await it.block(.key(device.key))
            try same(change, BlockChange(wasBlocked: false, devices: 1, blocked: 1), "what it came to")
            try same(await it.bothWays(device)?.blocks.map(\.kind), [.key], "the blocks of the device")
            try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
            try await it.expect(.advance(other.id, to: 1), .committed, "the counter of the same key in another app")
        },
        Question("refuses registrations under a blocked key or subject, also of what it has never seen") { it in
            let device = try Device.sample(subject: LedgerUnderTest.subject)
            let none = BlockChange(wasBlocked: false, devices: 0, blocked: 0)
            for target in [BlockTarget.key(device.key), .subject(LedgerUnderTest.subject, of: device.app)] {
                try same(await it.block(target), none, "what blocking it came to")
                let spend = LedgerEntry.Spend.fresh()
                try await it.expect(.register(device, spends: [spend]), .refused(.deviceBlocked), "a registration")
                try same(await it.bothWays(device), nil, "the device")
                let lifted = BlockChange(wasBlocked: true, devices: 0, blocked: 0)
                try same(await it.ledger.unblock(target), lifted, "what lifting it came to")
                try await it.expect(.sample(spends: [spend]), .committed, "the token of what was refused")
            }
            try await it.expect(.register(device), .committed, "a registration when nothing is blocked")
        },
        Question("keeps blocks of several kinds apart") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let targets = BlockKind.allCases.compactMap { device.blockTarget($0) }
            for target in targets { _ = try await it.block(target, reason: "\(target.kind)") }
            let blocks = BlockKind.allCases.map { Device.Block($0, reason: "\($0)", since: LedgerUnderTest.now) }
            try same(await it.bothWays(device)?.blocks, blocks, "the blocks of the device, in order")
            for (index, target) in targets.enumerated() {
                try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
                let left = index + 1 < targets.count ? 1 : 0
                let lifted = BlockChange(wasBlocked: true, devices: 1, blocked: left)
                try same(await it.ledger.unblock(target), lifted, "what lifting block \(index) came to")
            }
            try await it.expect(.advance(device.id, to: 1), .committed, "its counter when the last is lifted")
        },
        Question("lets no racer register under a block that was set before") { it in
            let subject = LedgerUnderTest.subject
            let devices = try (0..<racers).map { _ in try Device.sample(subject: subject) }
            guard let app = devices.first?.app else { throw ContractViolation("nobody races") }
            let outcomes = try await withThrowingTaskGroup(of: CommitOutcome?.self) { group in
                for (index, device) in devices.enumerated() {
                    group.addTask { try await it.commit(.register(device)) }
                    if index == devices.count / 2 {
                        group.addTask {
                            _ = try await it.block(.subject(subject, of: app))
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            let registered = outcomes.count { $0 == .committed }
            try same(outcomes.count { $0 == .refused(.deviceBlocked) }, racers - registered, "racers that were refused")
            let page = try await it.ledger.devices(DeviceListing(app: app, limit: racers))
            try same(page.devices.count, registered, "devices")
            try same(page.devices.allSatisfy(\.isBlocked), true, "whoever came before the block is blocked by it")
        },
    ]
}
