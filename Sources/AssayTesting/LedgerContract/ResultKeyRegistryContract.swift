import AssayCore

/// The checks of `ResultKeyRegistry`.
enum ResultKeyRegistryContract {
    private static func key(_ number: UInt8, of issuer: ResultPublicKey.Issuer = .devices) -> ResultPublicKey {
        ResultPublicKey(
            identifier: [UInt8](repeating: number, count: 32), issuer: issuer,
            publicKey: [UInt8](repeating: number &+ 1, count: 91))
    }

    static let checks: [ContractCheck] = [
        ContractCheck("Keys of signed results are kept in the order of publication, and the first of each issuer signs at once")
        { it in
            let context = LedgerUnderTest.asked("new")
            let keys = [key(9), key(1), key(5, of: .simulatedDevices), key(3, of: .simulatedDevices)]
            let start = try await it.ledger.status().auditCount
            try same(await it.ledger.publish(Array(keys.prefix(3)), context), 3, "keys added")
            try same(await it.ledger.publish(Array(keys.suffix(2)), context), 1, "keys added, one of which is known")
            let signs = [true, false, true, false]
            let published = zip(keys, signs).map { key, signs in
                PublishedResultKey(key, publishedAt: context.time, signsFrom: signs ? context.time : nil)
            }
            try same(await it.ledger.resultKeys(), published, "the keys")
            try await it.expectChanges(zip(keys, signs).map { .publish($0, signs: $1, context) }, after: start)
        },
        ContractCheck("A published key of signed results stays as it is") { it in
            let context = LedgerUnderTest.asked("new")
            _ = try await it.ledger.publish([key(1), key(2)], context)
            let (keys, count) = (try await it.ledger.resultKeys(), try await it.ledger.status().auditCount)
            let later = ChangeContext(.start, at: LedgerUnderTest.expiry, reason: "again")
            let other = ResultPublicKey(identifier: key(2).identifier, issuer: .simulatedDevices, publicKey: [7])
            try same(await it.ledger.publish([key(1), other, key(2)], later), 0, "keys added")
            try same(await it.ledger.resultKeys(), keys, "the keys")
            try same(await it.ledger.status().auditCount, count, "records")
            try same(await it.ledger.publish([], later), 0, "keys added of none")
        },
        ContractCheck("A key signs results from the instant that is set, and that is recorded once") { it in
            let context = LedgerUnderTest.asked("rotation")
            _ = try await it.ledger.publish([key(1), key(2)], context)
            let start = try await it.ledger.status().auditCount
            let time = LedgerUnderTest.expiry
            let expected = PublishedResultKey(key(2), publishedAt: context.time, signsFrom: time)
            for _ in 1...2 {
                try same(
                    await it.ledger.setSigning(key(2).identifier, from: time, context), expected, "the key that signs then")
            }
            try same(await it.ledger.setSigning(key(3).identifier, from: time, context), nil, "a key that is not published")
            let first = PublishedResultKey(key(1), publishedAt: context.time, signsFrom: context.time)
            try same(await it.ledger.resultKeys(), [first, expected], "the keys")
            try await it.expectChanges([.sign(with: key(2), from: time, context)], after: start)
        },
        ContractCheck("64 publications race for a key of signed results: one adds it") { it in
            let added = try await publish([UInt8](repeating: 1, count: racers), on: it)
            try same(added, 1, "keys added")
            try same(await it.ledger.resultKeys().count, 1, "keys on record")
        },
        ContractCheck("64 first keys of an issuer race: one signs") { it in
            let added = try await publish(Array(1...UInt8(racers)), on: it)
            try same(added, racers, "keys added")
            let keys = try await it.ledger.resultKeys()
            try same(keys.count, racers, "keys on record")
            try same(keys.filter { $0.signsFrom != nil }.map(\.key), [keys[0].key], "the keys that sign")
        },
    ]

    /// Publishes keys concurrently, each in a task of its own. Returns how many were added.
    private static func publish(_ numbers: [UInt8], on it: LedgerUnderTest) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in numbers {
                group.addTask { try await it.ledger.publish([key(number)], LedgerUnderTest.asked("race")) }
            }
            var count = 0
            for try await added in group { count += added }
            return count
        }
    }
}
