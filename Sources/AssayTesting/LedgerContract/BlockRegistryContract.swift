import AssayCore

/// The checks of `BlockRegistry`: the targets of blocks here, listing in a file of its own.
public enum BlockRegistryContract {
    private static let block = Device.Block(.device, reason: "stolen", since: LedgerUnderTest.now)

    public static let checks = targetChecks + listingChecks + certificateChecks

    private static let targetChecks: [ContractCheck] = [
        ContractCheck("A block and its end show in the next look-up") { it in
            var device = try await it.register(.sample())
            _ = try await it.bothWays(device)
            let set = BlockChange(wasBlocked: false, devices: 1, blocked: 1)
            try same(await it.block(.device(device.id)), set, "the result of setting it")
            device.blocks = [block]
            try same(await it.bothWays(device), device, "the blocked device")
            let again = try await it.ledger.block(.device(device.id), reason: "stolen twice", at: LedgerUnderTest.expiry)
            try same(again, BlockChange(wasBlocked: true, devices: 1, blocked: 1), "the result of setting another")
            let other = Device.Block(.device, reason: "stolen twice", since: LedgerUnderTest.expiry)
            try same(await it.bothWays(device)?.blocks, [other], "the other block")
            let lifted = BlockChange(wasBlocked: true, devices: 1, blocked: 0)
            try same(await it.ledger.unblock(.device(device.id)), lifted, "the result of lifting it")
            device.blocks = []
            try same(await it.bothWays(device), device, "the device without its block")
            let idle = BlockChange(wasBlocked: false, devices: 1, blocked: 0)
            try same(await it.ledger.unblock(.device(device.id)), idle, "the result of lifting none")
        },
        ContractCheck("A device that is not registered cannot be blocked") { it in
            try same(await it.block(.device(.random())), nil, "the answer")
            try same(await it.ledger.unblock(.device(.random())), nil, "the answer, when it is to be lifted")
        },
        ContractCheck("A subject's block applies to all of its devices in the app and to no others") { it in
            var own: [Device] = []
            for _ in 0..<3 { own.append(try await it.register(.sample(subject: LedgerUnderTest.subject))) }
            let others = [
                try await it.register(.sample()),
                try await it.register(.sample(subject: [UInt8](repeating: 1, count: 32))),
                try await it.register(.sample(app: "other", subject: LedgerUnderTest.subject)),
            ]
            for device in own + others { _ = try await it.bothWays(device) }
            let change = try await it.block(.subject(LedgerUnderTest.subject, of: own[0].app))
            try same(change, BlockChange(wasBlocked: false, devices: 3, blocked: 3), "the result")
            for device in own {
                let block = Device.Block(.subject, reason: "stolen", since: LedgerUnderTest.now)
                try same(await it.bothWays(device)?.blocks, [block], "the block of a device of the subject")
                try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
                try await it.expect(.sample(about: device.id), .refused(.deviceBlocked), "evidence without a counter")
            }
            for device in others { try await it.expect(.advance(device.id, to: 1), .committed, "another's counter") }
        },
        ContractCheck("A key's block applies to its device in the app and to no others") { it in
            let keyID = SecureRandom.bytes(32)
            let device = try await it.register(.sample(keyID: keyID))
            let other = try await it.register(.sample(app: "other", keyID: keyID))
            let change = try await it.block(.key(device.key))
            try same(change, BlockChange(wasBlocked: false, devices: 1, blocked: 1), "the result")
            try same(await it.bothWays(device)?.blocks.map(\.kind), [.key], "the blocks of the device")
            try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
            try await it.expect(.advance(other.id, to: 1), .committed, "the counter of the same key in another app")
        },
        ContractCheck("Registrations with a blocked key or subject are refused, with or without a registered device") { it in
            let device = try Device.sample(subject: LedgerUnderTest.subject)
            let none = BlockChange(wasBlocked: false, devices: 0, blocked: 0)
            for target in [BlockTarget.key(device.key), .subject(LedgerUnderTest.subject, of: device.app)] {
                try same(await it.block(target), none, "the result of blocking it")
                let spend = LedgerEntry.Spend.fresh()
                try await it.expect(.register(device, spends: [spend]), .refused(.deviceBlocked), "a registration")
                try same(await it.bothWays(device), nil, "the device")
                let lifted = BlockChange(wasBlocked: true, devices: 0, blocked: 0)
                try same(await it.ledger.unblock(target), lifted, "the result of lifting it")
                try await it.expect(.sample(spends: [spend]), .committed, "the token of what was refused")
            }
            try await it.expect(.register(device), .committed, "a registration when nothing is blocked")
        },
        ContractCheck("Blocks of several kinds apply to a device independently") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let targets = BlockKind.allCases.compactMap { device.blockTarget($0) }
            for target in targets { _ = try await it.block(target, reason: "\(target.kind)") }
            let blocks = BlockKind.allCases.map { Device.Block($0, reason: "\($0)", since: LedgerUnderTest.now) }
            try same(await it.bothWays(device)?.blocks, blocks, "the blocks of the device, in order")
            for (index, target) in targets.enumerated() {
                try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
                let left = index + 1 < targets.count ? 1 : 0
                let lifted = BlockChange(wasBlocked: true, devices: 1, blocked: left)
                try same(await it.ledger.unblock(target), lifted, "the result of lifting block \(index)")
            }
            try await it.expect(.advance(device.id, to: 1), .committed, "its counter when the last is lifted")
        },
        ContractCheck("64 registrations of a subject race its block: none is committed after it") { it in
            let subject = LedgerUnderTest.subject
            let devices = try (0..<racers).map { _ in try Device.sample(subject: subject) }
            guard let app = devices.first?.app else { throw ContractViolation("no device races") }
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
            try same(page.devices.allSatisfy(\.isBlocked), true, "every device registered before the block is blocked by it")
        },
        ContractCheck("Blocks and their ends are recorded, and calls that change nothing are not") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let (app, start) = (device.app, try await it.ledger.status().auditCount)
            let key = DeviceKey(app: app, keyID: SecureRandom.bytes(32))
            let targets: [(BlockTarget, Int)] = [
                (.device(device.id), 1), (.subject(LedgerUnderTest.subject, of: app), 1), (.key(device.key), 1), (.key(key), 0),
            ]
            var expected: [AuditChange] = []
            for (target, devices) in targets {
                for wasBlocked in [false, true] {
                    let context = LedgerUnderTest.asked("reason \(wasBlocked)")
                    _ = try await it.ledger.block(target, context)
                    let change = BlockChange(wasBlocked: wasBlocked, devices: devices, blocked: devices)
                    expected.append(.block(target, of: app, change, context))
                }
            }
            for (target, devices) in targets {
                // The second call finds nothing to lift.
                for _ in 0..<2 { _ = try await it.ledger.unblock(target, LedgerUnderTest.asked("")) }
                let change = BlockChange(wasBlocked: true, devices: devices, blocked: 0)
                expected.append(.unblock(target, of: app, change, LedgerUnderTest.asked("")))
            }
            _ = try await it.ledger.block(.device(.random()), LedgerUnderTest.asked("no such device"))
            _ = try await it.ledger.unblock(.device(.random()), LedgerUnderTest.asked("no such device"))
            try await it.expectChanges(expected, after: start)
        },
    ]
}
