import AssayCore

extension LedgerContract {
    static let forgettingQuestions = [
        Question("forgets a device, which may register again") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            _ = try await it.bothWays(device)
            try same(await it.ledger.forget(device.id), ForgottenDevice(keyStaysBlocked: false), "the answer")
            try same(await it.bothWays(device), nil, "the device")
            try same(await it.ledger.status().devices, 0, "devices")
            try await it.expect(.advance(device.id, to: 1), .refused(.unknownDevice), "its counter")
            try same(await it.ledger.forget(device.id), nil, "the answer, the second time")
            let again = try await it.register(device.again())
            try same(await it.bothWays(again), again, "the key, registered again")
            try same(await it.ledger.device(device.id), nil, "the name that it had")
            try await it.expect(.advance(again.id, to: 1), .committed, "its counter")
        },
        Question("keeps the key of a forgotten device blocked, however the device was blocked") { it in
            for kind in BlockKind.allCases {
                let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
                guard let target = device.blockTarget(kind) else { throw ContractViolation("the device has no \(kind)") }
                _ = try await it.block(target, reason: "\(kind)")
                try same(await it.ledger.forget(device.id), ForgottenDevice(keyStaysBlocked: true), "the answer")
                try same(await it.bothWays(device), nil, "the device")
                if kind == .subject { _ = try await it.ledger.unblock(target) }
                let again = device.again(subject: [UInt8](repeating: 9, count: 32))
                try await it.expect(.register(again), .refused(.deviceBlocked), "its key, blocked by \(kind)")
                try same(await it.ledger.add(imported: [again]), [.refused(.deviceBlocked)], "its key, imported")
                let lifted = BlockChange(wasBlocked: true, devices: 0, blocked: 0)
                try same(await it.ledger.unblock(.key(device.key)), lifted, "lifting the block of the key")
                try await it.expect(.register(again), .committed, "its key when the block is lifted")
                try same(await it.bothWays(again)?.blocks, [], "its blocks")
            }
        },
        Question("does not repeat a verdict about a device that was forgotten since") { it in
            let (gone, kept) = (try await it.register(.sample()), try await it.register(.sample()))
            for (key, device) in [(UInt8(1), gone), (2, kept)] {
                let entry = LedgerEntry.ask(key: [key], request: [2], verdict: [3], device: device.id)
                try await it.expect(entry, .committed, "a verdict")
            }
            _ = try await it.ledger.forget(gone.id)
            try same(await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now), nil, "the verdict")
            try same(await it.ledger.verdict(idempotencyKey: [2], now: LedgerUnderTest.now)?.verdict, [3], "another's verdict")
        },
        Question("lets a device be advanced or forgotten, never both") { it in
            let device = try await it.register(.sample())
            let outcomes = try await withThrowingTaskGroup(of: CommitOutcome?.self) { group in
                for counter in 1...UInt32(racers) {
                    group.addTask { try await it.commit(.advance(device.id, to: counter, .window64)) }
                }
                group.addTask {
                    _ = try await it.ledger.forget(device.id)
                    return nil
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            let wrong = outcomes.filter { $0 != .committed && $0 != .refused(.unknownDevice) }
            try same(wrong, [], "outcomes of another kind")
            try same(await it.bothWays(device), nil, "the device")
        },
    ]
}
