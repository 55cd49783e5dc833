import AssayCore

/// The checks of `CallerKeyRegistry`.
enum CallerKeyRegistryContract {
    private static func key(_ name: String, _ number: UInt8, apps: [String]? = nil) -> CallerKey {
        CallerKey(
            name: name, hash: [UInt8](repeating: number, count: 32), roles: ["verify", "observe"],
            apps: apps?.compactMap { AppID($0) }, createdAt: LedgerUnderTest.changedAt, createdBy: "operator",
            expiry: LedgerUnderTest.now.adding(milliseconds: 1_000_000))
    }

    static let checks: [ContractCheck] = [
        ContractCheck("API keys are kept as they were added, in order, and each is recorded") { it in
            let keys = [key("uploads", 1), key("far", 2, apps: ["camera", "notes"]), key("none", 3, apps: [])]
            let start = try await it.ledger.status().auditCount
            for key in keys { try same(await it.ledger.add(key, LedgerUnderTest.asked("new")), true, "that it was added") }
            try same(await it.ledger.callerKeys(), keys, "the keys")
            let context = LedgerUnderTest.asked("new")
            try await it.expectChanges(keys.map { .key(.createKey, $0, context) }, after: start)
        },
        ContractCheck("A second API key of a name or a hash is not added, also after the first one was revoked") { it in
            let context = LedgerUnderTest.asked("new")
            let first = key("uploads", 1)
            _ = try await it.ledger.add(first, context)
            let count = try await it.ledger.status().auditCount
            try same(await it.ledger.add(key("uploads", 2), context), false, "one of the same name")
            try same(await it.ledger.add(key("other", 1), context), false, "one of the same hash")
            try same(await it.ledger.status().auditCount, count, "records")
            _ = try await it.ledger.revokeCallerKey("uploads", context)
            try same(await it.ledger.add(key("uploads", 3), context), false, "one of a revoked name")
            try same(await it.ledger.callerKeys().count, 1, "keys")
        },
        ContractCheck("An API key is revoked once and for good, and no other") { it in
            let context = LedgerUnderTest.asked("lost")
            for (name, number) in [("a", UInt8(1)), ("b", 2)] { _ = try await it.ledger.add(key(name, number), context) }
            let start = try await it.ledger.status().auditCount
            var revoked = key("a", 1)
            revoked.revokedAt = context.time
            try same(await it.ledger.revokeCallerKey("a", context), revoked, "the revoked key")
            let later = ChangeContext(.caller("operator"), at: LedgerUnderTest.expiry, reason: "again")
            try same(await it.ledger.revokeCallerKey("a", later), revoked, "the key after another revocation")
            try same(await it.ledger.revokeCallerKey("c", later), nil, "a key that is not there")
            try same(await it.ledger.callerKeys(), [revoked, key("b", 2)], "the keys")
            try await it.expectChanges([.key(.revokeKey, key("a", 1), context)], after: start)
        },
        ContractCheck("64 additions race for an API key's name: one is added") { it in
            let added = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<UInt8(racers) {
                    group.addTask { try await it.ledger.add(key("race", number), LedgerUnderTest.asked("race")) }
                }
                var count = 0
                for try await isAdded in group where isAdded { count += 1 }
                return count
            }
            try same(added, 1, "keys that were added")
            try same(await it.ledger.callerKeys().count, 1, "keys on record")
        },
    ]
}
