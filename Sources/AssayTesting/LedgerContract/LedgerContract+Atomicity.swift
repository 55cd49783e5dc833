import AssayCore

extension LedgerContract {
    static let atomicityQuestions = [
        Question("has one outcome for each entry, in order") { it in
            try same(await it.ledger.commit([]), [], "the outcomes of nothing")
            let device = try await it.register(.sample())
            let spend = LedgerEntry.Spend.fresh()
            let outcomes = try await it.ledger.commit([
                .sample(spends: [spend]), .sample(spends: [spend]), .advance(device.id, to: 1), .advance(device.id, to: 1),
                .advance(.random(), to: 1), .register(device), .sample(),
            ])
            let expected: [CommitOutcome] = [
                .committed, .refused(.challengeReused), .committed, .refused(.counterNotIncreasing),
                .refused(.unknownDevice), .refused(.keyAlreadyRegistered), .committed,
            ]
            try same(outcomes, expected, "the outcomes")
            try same(await it.ledger.status().auditCount, 4, "accepted verdicts, the registration included")
        },
        Question("leaves no trace of an entry whose spend is refused") { it in
            let known = try await it.register(.sample())
            let (new, fresh, spent) = (try Device.sample(), LedgerEntry.Spend.fresh(), LedgerEntry.Spend.fresh())
            try await it.expect(.sample(spends: [spent]), .committed, "the token that will be spent")
            let entry = everything(spends: [fresh, spent], registers: new, advances: [(known.id, 1)])
            try await expectNoTrace(of: entry, .challengeReused, it, known, new, fresh)
        },
        Question("leaves no trace of an entry whose counter is refused") { it in
            let (known, other) = (try await it.register(.sample()), try await it.register(.sample(counter: 5)))
            let (new, fresh) = (try Device.sample(), LedgerEntry.Spend.fresh())
            let entry = everything(spends: [fresh], registers: new, advances: [(known.id, 1), (other.id, 5)])
            try await expectNoTrace(of: entry, .counterNotIncreasing, it, known, new, fresh)
        },
        Question("leaves no trace of an entry whose single counter is refused") { it in
            let (known, fresh) = (try await it.register(.sample()), LedgerEntry.Spend.fresh())
            let entry = LedgerEntry.advance(known.id, to: 0, spends: [fresh])
            try await expectNoTrace(of: entry, .counterNotIncreasing, it, known, try .sample(), fresh)
        },
        Question("leaves no trace of an entry whose registration is refused") { it in
            let known = try await it.register(.sample())
            let (new, fresh) = (try Device.sample(), LedgerEntry.Spend.fresh())
            let entry = everything(spends: [fresh], registers: new, known, advances: [(known.id, 1)])
            try await expectNoTrace(of: entry, .keyAlreadyRegistered, it, known, new, fresh)
        },
        Question("leaves no trace of an entry whose device is unknown") { it in
            let known = try await it.register(.sample())
            let (new, fresh) = (try Device.sample(), LedgerEntry.Spend.fresh())
            let entry = everything(spends: [fresh], registers: new, advances: [(known.id, 1), (.random(), 1)])
            try await expectNoTrace(of: entry, .unknownDevice, it, known, new, fresh)
        },
    ]

    /// An entry with something of everything.
    private static func everything(
        spends: [LedgerEntry.Spend], registers new: Device, _ more: Device..., advances: [(device: DeviceID, counter: UInt32)]
    ) -> LedgerEntry {
        .sample(
            spends: spends, registrations: [new] + more,
            advances: advances.map { .init(device: $0.device, counter: $0.counter, rule: .strictlyIncreasing) },
            idempotency: .init(key: [1], request: [2], expiry: LedgerUnderTest.expiry, verdict: [3], device: new.id),
            about: new.id)
    }

    /// Commits an entry that is refused between two that are not, and looks for anything that it left.
    private static func expectNoTrace(
        of entry: LedgerEntry, _ code: ReasonCode, _ it: LedgerUnderTest, _ known: Device, _ new: Device,
        _ fresh: LedgerEntry.Spend
    ) async throws {
        let before = try await it.ledger.status()
        let outcomes = try await it.ledger.commit([.sample(), entry, .sample()])
        try same(outcomes, [.committed, .refused(code), .committed], "the outcomes")
        let after = try await it.ledger.status()
        try same(after.auditCount, before.auditCount + 2, "accepted verdicts")
        try same(after.devices, before.devices, "devices")
        try same(await it.bothWays(known), known, "the known device")
        try same(await it.bothWays(new), nil, "the new device")
        try same(await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now), nil, "the verdict")
        try await it.expect(.sample(spends: [fresh]), .committed, "the fresh token afterwards")
        try await it.expect(.advance(known.id, to: 1), .committed, "the known device's counter afterwards")
        try await it.expect(.register(new), .committed, "the new device afterwards")
    }
}
