import AssayCore

extension VerdictLedgerContract {
    private static let target = BlockTarget.subject(LedgerUnderTest.subject, of: LedgerEntry.contractApp)

    static let blockChecks: [ContractCheck] = [
        ContractCheck("Evidence of a blocked device is refused") { it in
            let device = try await it.register(.sample())
            _ = try await it.block(.device(device.id))
            try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
            try await it.expect(.sample(about: device.id), .refused(.deviceBlocked), "evidence without a counter")
            _ = try await it.ledger.unblock(.device(device.id))
            try await it.expect(.advance(device.id, to: 1), .committed, "its counter when the block is lifted")
            try await it.expect(.sample(about: device.id), .committed, "evidence when the block is lifted")
        },
        ContractCheck("Evidence of an unknown device is refused") { it in
            try await it.expect(.advance(.random(), to: 1), .refused(.unknownDevice), "a counter")
            try await it.expect(.sample(about: .random()), .refused(.unknownDevice), "evidence without a counter")
        },
        ContractCheck("A stored verdict is not repeated while its device is blocked") { it in
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
        ContractCheck("Entries of a blocked subject are refused, whatever their device is, and spend nothing") { it in
            let unowned = try await it.register(.sample())
            let spends = [LedgerEntry.Spend.fresh()]
            let entries: [(what: String, entry: LedgerEntry)] = [
                ("an entry about no device", .sample(spends: spends, subject: LedgerUnderTest.subject)),
                (
                    "an entry about a device without a subject",
                    .sample(spends: spends, about: unowned.id, subject: LedgerUnderTest.subject)
                ),
                (
                    "a counter of a device without a subject",
                    .sample(
                        spends: spends, advances: [.init(device: unowned.id, counter: 1, rule: .strictlyIncreasing)],
                        about: unowned.id, subject: LedgerUnderTest.subject)
                ),
            ]
            _ = try await it.block(target)
            for (what, entry) in entries { try await it.expect(entry, .refused(.deviceBlocked), what) }
            try same(await it.bothWays(unowned), unowned, "the device, which nothing happened to")
            try same(await it.ledger.status().auditCount, 2, "records: the verdict and the block")
            let other = LedgerEntry.sample(about: unowned.id, subject: [UInt8](repeating: 1, count: 32))
            try await it.expect(other, .committed, "another subject's")
            _ = try await it.ledger.unblock(target)
            for (_, entry) in entries.suffix(1) { try await it.expect(entry, .committed, "the same token, unblocked") }
        },
        ContractCheck("A stored verdict is not repeated while the request's subject is blocked") { it in
            let entry = LedgerEntry.ask(key: [1], request: [2], verdict: [3], subject: LedgerUnderTest.subject)
            try await it.expect(entry, .committed, "the first time")
            _ = try await it.block(target)
            try await it.expect(entry, .refused(.deviceBlocked), "the second time")
            let other = LedgerEntry.ask(key: [1], request: [9], verdict: [3], subject: LedgerUnderTest.subject)
            try await it.expect(other, .refused(.idempotencyKeyReused), "another request under the key")
            _ = try await it.ledger.unblock(target)
            try await it.expect(entry, .repeated(verdict: [3]), "when the block is lifted")
        },
        ContractCheck("The device is checked before the subject, and the subject before the token") { it in
            let device = try await it.register(.sample())
            let spent = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spent]), .committed, "the token")
            _ = try await it.block(target)
            let unknown = LedgerEntry.sample(spends: [spent], about: .random(), subject: LedgerUnderTest.subject)
            try await it.expect(unknown, .refused(.unknownDevice), "an unknown device")
            let blocked = LedgerEntry.sample(spends: [spent], about: device.id, subject: LedgerUnderTest.subject)
            try await it.expect(blocked, .refused(.deviceBlocked), "a blocked subject")
            _ = try await it.ledger.unblock(target)
            try await it.expect(blocked, .refused(.challengeReused), "a spent token")
        },
        ContractCheck("64 entries of a subject race its block: none is committed after it") { it in
            let entries = (0..<racers).map { _ in LedgerEntry.sample(subject: LedgerUnderTest.subject) }
            let outcomes = try await withThrowingTaskGroup(of: [CommitOutcome].self) { group in
                for (index, entry) in entries.enumerated() {
                    group.addTask { [try await it.commit(entry)] }
                    guard index == entries.count / 2 else { continue }
                    group.addTask {
                        _ = try await it.block(target)
                        // This entry is committed after the block is in force.
                        let late = try await it.commit(.sample(subject: LedgerUnderTest.subject))
                        try same(late, .refused(.deviceBlocked), "an entry after the block")
                        return []
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let committed = outcomes.count { $0 == .committed }
            try same(outcomes.count { $0 == .refused(.deviceBlocked) }, racers - committed, "racers that were refused")
            try same(await it.ledger.status().auditCount, Int64(committed) + 1, "records: the verdicts and the block")
        },
    ]
}
