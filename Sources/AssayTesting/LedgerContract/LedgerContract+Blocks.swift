import AssayCore

extension LedgerContract {
    private static let block = Device.Block(.device, reason: "stolen", since: LedgerUnderTest.now)

    static let blockQuestions = [
        Question("shows a block to whoever reads next, and its end") { it in
            var device = try await it.register(.sample())
            _ = try await it.bothWays(device)
            let set = BlockChange(wasBlocked: false, devices: 1, blocked: 1)
            try same(await it.block(.device(device.id)), set, "what setting it came to")
            device.blocks = [block]
            try same(await it.bothWays(device), device, "the blocked device")
            let again = try await it.ledger.block(.device(device.id), reason: "stolen twice", at: LedgerUnderTest.expiry)
            try same(again, BlockChange(wasBlocked: true, devices: 1, blocked: 1), "what setting another came to")
            let other = Device.Block(.device, reason: "stolen twice", since: LedgerUnderTest.expiry)
            try same(await it.bothWays(device)?.blocks, [other], "the other block")
            let lifted = BlockChange(wasBlocked: true, devices: 1, blocked: 0)
            try same(await it.ledger.unblock(.device(device.id)), lifted, "what lifting it came to")
            device.blocks = []
            try same(await it.bothWays(device), device, "the device without its block")
            let idle = BlockChange(wasBlocked: false, devices: 1, blocked: 0)
            try same(await it.ledger.unblock(.device(device.id)), idle, "what lifting none came to")
        },
        Question("says that it cannot block a device it does not know") { it in
            try same(await it.block(.device(.random())), nil, "the answer")
            try same(await it.ledger.unblock(.device(.random())), nil, "the answer, when it is to be lifted")
        },
        Question("refuses everything about a blocked device") { it in
            let device = try await it.register(.sample())
            _ = try await it.block(.device(device.id))
            try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
            try await it.expect(.sample(about: device.id), .refused(.deviceBlocked), "evidence without a counter")
            _ = try await it.ledger.unblock(.device(device.id))
            try await it.expect(.advance(device.id, to: 1), .committed, "its counter when the block is lifted")
            try await it.expect(.sample(about: device.id), .committed, "evidence when the block is lifted")
        },
        Question("refuses everything about an unknown device") { it in
            try await it.expect(.advance(.random(), to: 1), .refused(.unknownDevice), "a counter")
            try await it.expect(.sample(about: .random()), .refused(.unknownDevice), "evidence without a counter")
        },
        Question("does not repeat a verdict about a device that was blocked since") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let entry = LedgerEntry.ask(key: [1], request: [2], verdict: [3], device: device.id)
            try await it.expect(entry, .committed, "the first time")
            for kind in BlockKind.allCases {
                guard let target = device.blockTarget(kind) else { throw ContractViolation("the device has no \(kind)") }
                _ = try await it.block(target)
                try await it.expect(entry, .refused(.deviceBlocked), "the second time, its \(kind) blocked")
                let kept = try await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now)
                try same(kept?.objection, .deviceBlocked, "what is said of the kept verdict")
                let other = LedgerEntry.ask(key: [1], request: [9], verdict: [3], device: device.id)
                try await it.expect(other, .refused(.idempotencyKeyReused), "another request under the key")
                _ = try await it.ledger.unblock(target)
                try await it.expect(entry, .repeated(verdict: [3]), "when the block is lifted")
            }
        },
    ]
}
