import AssayCore

extension LedgerContract {
    private static let target = BlockTarget.subject(LedgerUnderTest.subject, of: LedgerEntry.examApp)

    static let blockedSubjectQuestions = [
        Question("says whether a subject is blocked, in each app by itself") { it in
            guard let other = AppID("other") else { throw ContractViolation("the exam names an app that is none") }
            func expect(_ found: [Bool], _ what: String) async throws {
                let said = [
                    try await it.ledger.isBlocked(subject: LedgerUnderTest.subject, of: LedgerEntry.examApp),
                    try await it.ledger.isBlocked(subject: LedgerUnderTest.subject, of: other),
                    try await it.ledger.isBlocked(subject: [UInt8](repeating: 1, count: 32), of: LedgerEntry.examApp),
                ]
                try same(said, found, what)
            }
            try await expect([false, false, false], "what is said before the block")
            _ = try await it.block(target)
            try await expect([true, false, false], "what is said after the block")
            // A key with the same bytes is something else.
            let key = DeviceKey(app: other, keyID: LedgerUnderTest.subject)
            _ = try await it.block(.key(key))
            try await expect([true, false, false], "what is said after the block of a key")
            _ = try await it.ledger.unblock(target)
            try await expect([false, false, false], "what is said when the block is lifted")
        },
        Question("refuses entries of a blocked subject, whatever device they are about, and spends nothing") { it in
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
        Question("does not repeat a verdict to a subject that was blocked since") { it in
            let entry = LedgerEntry.ask(key: [1], request: [2], verdict: [3], subject: LedgerUnderTest.subject)
            try await it.expect(entry, .committed, "the first time")
            _ = try await it.block(target)
            try await it.expect(entry, .refused(.deviceBlocked), "the second time")
            let other = LedgerEntry.ask(key: [1], request: [9], verdict: [3], subject: LedgerUnderTest.subject)
            try await it.expect(other, .refused(.idempotencyKeyReused), "another request under the key")
            _ = try await it.ledger.unblock(target)
            try await it.expect(entry, .repeated(verdict: [3]), "when the block is lifted")
        },
        Question("says of an unknown or blocked device before the subject, and of the subject before the token") { it in
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
        Question("commits nothing of a subject once its block was set, however many race") { it in
            let entries = (0..<racers).map { _ in LedgerEntry.sample(subject: LedgerUnderTest.subject) }
            let outcomes = try await withThrowingTaskGroup(of: [CommitOutcome].self) { group in
                for (index, entry) in entries.enumerated() {
                    group.addTask { [try await it.commit(entry)] }
                    guard index == entries.count / 2 else { continue }
                    group.addTask {
                        _ = try await it.block(target)
                        // Whatever comes now was asked after the block held.
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
