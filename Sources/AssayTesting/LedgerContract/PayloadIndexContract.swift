import AssayCore

/// The checks of `PayloadIndex`.
enum PayloadIndexContract {
    private static func verdict(
        _ key: UInt8 = 1, about device: DeviceID? = nil, at minutes: Int64 = 0, days: Int64 = 90, saying content: [UInt8] = [1]
    ) -> IndexedVerdict {
        let time = LedgerUnderTest.now.adding(milliseconds: minutes * 60_000)
        return IndexedVerdict(
            key: Self.key(key), device: device, time: time, until: time.adding(milliseconds: days * 86_400_000),
            content: content)
    }

    private static func key(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    private static func find(
        _ it: LedgerUnderTest, _ number: UInt8 = 1, at now: Timestamp = LedgerUnderTest.now, limit: Int = 10
    ) async throws -> [IndexedVerdict] {
        try await it.ledger.verdicts(onPayload: key(number), at: now, limit: limit)
    }

    private static func entry(_ verdict: IndexedVerdict) -> LedgerEntry { .sample(about: verdict.device, lookups: [verdict]) }

    static let checks: [ContractCheck] = [
        ContractCheck("Verdicts are found by their payload as they were committed, the newest first") { it in
            let device = try await it.register(.sample())
            let content = [UInt8](repeating: 0xC7, count: IndexedVerdict.contentLimit)
            let verdicts = [
                verdict(about: device.id, at: 1, saying: [1]), verdict(at: 3, saying: content), verdict(at: 2, saying: []),
                verdict(2, at: 4, saying: [4]),
                verdict(at: 3, saying: [5]),
            ]
            for verdict in verdicts { try await it.expect(entry(verdict), .committed, "an entry") }
            try same(await find(it), [4, 1, 2, 0].map { verdicts[$0] }, "the verdicts on the payload")
            try same(await find(it, limit: 2), [4, 1].map { verdicts[$0] }, "the newest two")
            try same(await find(it, 2), [verdicts[3]], "the verdicts on another payload")
            try same(await find(it, 3), [], "the verdicts on a payload without one")
            try same(await find(it, limit: 0), [], "no verdict")
        },
        ContractCheck("Of one call the verdict of the last entry on a payload is the newest") { it in
            let verdicts = (0..<20).map { verdict(saying: [$0]) }
            let outcomes = try await it.ledger.commit(verdicts.map { entry($0) })
            try same(outcomes.allSatisfy { $0 == .committed }, true, "that all were committed")
            try same(await find(it, limit: 100), verdicts.reversed(), "the verdicts")
        },
        ContractCheck("An entry that is refused or repeated adds no verdict by payload") { it in
            let spend = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spend], lookups: [verdict(saying: [1])]), .committed, "an entry")
            try await it.expect(
                .sample(spends: [spend], lookups: [verdict(saying: [2])]), .refused(.challengeReused), "a second entry")
            let asked = LedgerEntry.Idempotency(
                key: SecureRandom.bytes(32), request: SecureRandom.bytes(32), expiry: LedgerUnderTest.expiry, verdict: [9],
                device: nil)
            try await it.expect(.sample(idempotency: asked, lookups: [verdict(2, saying: [3])]), .committed, "an entry")
            try await it.expect(
                .sample(idempotency: asked, lookups: [verdict(2, saying: [4])]), .repeated(verdict: [9]), "the same request")
            try same(await find(it), [verdict(saying: [1])], "the verdicts on the first payload")
            try same(await find(it, 2), [verdict(2, saying: [3])], "the verdicts on the second payload")
        },
        ContractCheck("A verdict with several payloads is found by each of them, and none of them is added without it") { it in
            let device = try await it.register(.sample())
            let verdicts = (1...UInt8(IndexedVerdict.countLimit)).map { verdict($0, about: device.id, saying: [$0]) }
            let spend = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spend], about: device.id, lookups: verdicts), .committed, "an entry")
            let late = (1...UInt8(IndexedVerdict.countLimit)).map { verdict($0, about: device.id, at: 1, saying: [99]) }
            try await it.expect(
                .sample(spends: [spend], about: device.id, lookups: late), .refused(.challengeReused), "a second entry")
            for (number, verdict) in zip(UInt8(1)..., verdicts) {
                try same(await find(it, number), [verdict], "the verdicts on payload \(number)")
            }
            _ = try await it.ledger.forget(device.id, LedgerUnderTest.asked("asked for"))
            for number in 1...UInt8(verdicts.count) { try same(await find(it, number), [], "those of a forgotten device") }
        },
        ContractCheck("A verdict by payload is kept until its instant, and the purge forgets it then") { it in
            let (short, long) = (verdict(days: 1, saying: [1]), verdict(days: 2, saying: [2]))
            for verdict in [short, long] { try await it.expect(entry(verdict), .committed, "an entry") }
            let after = short.until.adding(milliseconds: 1)
            try same(await find(it, at: short.until), [long, short], "the verdicts while both are kept")
            try same(await find(it, at: after), [long], "the verdicts after the first")
            try await it.ledger.purge(now: short.until)
            try same(await find(it), [long, short], "the verdicts after a purge while both are kept")
            try await it.ledger.purge(now: after)
            try same(await find(it), [long], "the verdicts after a purge")
        },
        ContractCheck("A forgotten device takes its verdicts by payload with it, and no others") { it in
            let (device, other) = (try await it.register(.sample()), try await it.register(.sample()))
            for (number, id) in [device.id, other.id, nil].enumerated() {
                try await it.expect(entry(verdict(about: id, saying: [UInt8(number)])), .committed, "an entry")
            }
            _ = try await it.ledger.forget(device.id, LedgerUnderTest.asked("asked for"))
            try same(await find(it), [verdict(saying: [2]), verdict(about: other.id, saying: [1])], "the verdicts that stay")
        },
        ContractCheck("More verdicts by payload than one step removes go with their device, and by one purge") { it in
            let device = try await it.register(.sample())
            let many = (0..<2500).map { _ in entry(verdict(about: device.id)) }
            _ = try await it.ledger.commit(many)
            try same(await find(it, limit: 5000).count, 2500, "verdicts")
            _ = try await it.ledger.forget(device.id, LedgerUnderTest.asked("asked for"))
            try same(await find(it, limit: 5000).count, 0, "verdicts of the forgotten device")
            _ = try await it.ledger.commit(
                (0..<2500).map { _ in entry(verdict(days: 1)) } + [entry(verdict(days: 3, saying: [3]))])
            try await it.ledger.purge(now: LedgerUnderTest.now.adding(milliseconds: 2 * 86_400_000))
            try same(await find(it, limit: 5000), [verdict(days: 3, saying: [3])], "verdicts after the purge")
        },
        ContractCheck("The verdicts by payload of a replaced device stay until it is forgotten by its id") { it in
            let old = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let indexed = verdict(about: old.id)
            try await it.expect(entry(indexed), .committed, "an entry")
            let new = try Device.sample(subject: LedgerUnderTest.subject)
            try await it.expect(.register(new, replacing: old), .committed, "a registration in place of another")
            try same(await find(it), [indexed], "the verdicts of the replaced device")
            try same(await it.ledger.forget(old.id, LedgerUnderTest.asked("asked for")), nil, "the replaced device")
            try same(await find(it), [], "the verdicts after it was forgotten")
        },
    ]
}
