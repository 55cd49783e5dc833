import AssayCore

extension LedgerExam {
    private static let block = Device.Block(reason: "stolen", since: Examinee.now)

    static let blockQuestions = [
        Question("shows a block to whoever reads next, and its end") { it in
            var device = try await it.register(.sample())
            _ = try await it.bothWays(device)
            try same(await it.ledger.setBlock(block, on: device.id), true, "the block was set")
            device.block = block
            try same(await it.bothWays(device), device, "the blocked device")
            let other = Device.Block(reason: "stolen twice", since: Examinee.expiry)
            try same(await it.ledger.setBlock(other, on: device.id), true, "another block was set")
            try same(await it.bothWays(device)?.block, other, "the other block")
            try same(await it.ledger.setBlock(nil, on: device.id), true, "the block was lifted")
            device.block = nil
            try same(await it.bothWays(device), device, "the device without its block")
        },
        Question("says that it cannot block a device it does not know") { it in
            try same(await it.ledger.setBlock(block, on: .random()), false, "the answer")
        },
        Question("refuses everything about a blocked device") { it in
            let device = try await it.register(.sample())
            _ = try await it.ledger.setBlock(block, on: device.id)
            try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
            try await it.expect(.sample(about: device.id), .refused(.deviceBlocked), "evidence without a counter")
            _ = try await it.ledger.setBlock(nil, on: device.id)
            try await it.expect(.advance(device.id, to: 1), .committed, "its counter when the block is lifted")
            try await it.expect(.sample(about: device.id), .committed, "evidence when the block is lifted")
        },
        Question("refuses everything about an unknown device") { it in
            try await it.expect(.advance(.random(), to: 1), .refused(.unknownDevice), "a counter")
            try await it.expect(.sample(about: .random()), .refused(.unknownDevice), "evidence without a counter")
        },
        Question("does not repeat a verdict about a device that was blocked since") { it in
            let device = try await it.register(.sample())
            let entry = LedgerEntry.ask(key: [1], request: [2], verdict: [3], device: device.id)
            try await it.expect(entry, .committed, "the first time")
            _ = try await it.ledger.setBlock(block, on: device.id)
            try await it.expect(entry, .refused(.deviceBlocked), "the second time")
            let kept = try await it.ledger.verdict(idempotencyKey: [1], now: Examinee.now)
            try same(kept?.deviceBlocked, true, "what is said of the kept verdict")
            let other = LedgerEntry.ask(key: [1], request: [9], verdict: [3], device: device.id)
            try await it.expect(other, .refused(.idempotencyKeyReused), "another request under the key")
            _ = try await it.ledger.setBlock(nil, on: device.id)
            try await it.expect(entry, .repeated(verdict: [3]), "when the block is lifted")
        },
    ]
}
