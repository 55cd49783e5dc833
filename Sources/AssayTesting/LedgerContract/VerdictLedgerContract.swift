import AssayCore

/// The checks of `VerdictLedger`: atomicity and order of `commit` here, each kind of change in a file of its own.
public enum VerdictLedgerContract {
    public static let checks =
        commitChecks + spendChecks + counterChecks + registrationChecks + replacementChecks + idempotencyChecks + blockChecks
        + certificateChecks
        + submissionChecks

    private static let commitChecks: [ContractCheck] = [
        ContractCheck("A commit has one outcome for each entry, in order") { it in
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
        ContractCheck("An entry whose spend is refused changes nothing") { it in
            let known = try await it.register(.sample())
            let (new, fresh, spent) = (try Device.sample(), LedgerEntry.Spend.fresh(), LedgerEntry.Spend.fresh())
            try await it.expect(.sample(spends: [spent]), .committed, "the token that will be spent")
            let entry = everything(spends: [fresh, spent], registers: new, advances: [(known.id, 1)])
            try await expectNoTrace(of: entry, .challengeReused, it, known, new, fresh)
        },
        ContractCheck("An entry whose second counter is refused changes nothing") { it in
            let (known, other) = (try await it.register(.sample()), try await it.register(.sample(counter: 5)))
            let (new, fresh) = (try Device.sample(), LedgerEntry.Spend.fresh())
            let entry = everything(spends: [fresh], registers: new, advances: [(known.id, 1), (other.id, 5)])
            try await expectNoTrace(of: entry, .counterNotIncreasing, it, known, new, fresh)
        },
        ContractCheck("An entry whose only counter is refused changes nothing") { it in
            let (known, fresh) = (try await it.register(.sample()), LedgerEntry.Spend.fresh())
            let entry = LedgerEntry.advance(known.id, to: 0, spends: [fresh])
            try await expectNoTrace(of: entry, .counterNotIncreasing, it, known, try .sample(), fresh)
        },
        ContractCheck("An entry whose registration is refused changes nothing") { it in
            let known = try await it.register(.sample())
            let (new, fresh) = (try Device.sample(), LedgerEntry.Spend.fresh())
            let entry = everything(spends: [fresh], registers: new, known, advances: [(known.id, 1)])
            try await expectNoTrace(of: entry, .keyAlreadyRegistered, it, known, new, fresh)
        },
        ContractCheck("An entry whose device is unknown changes nothing") { it in
            let known = try await it.register(.sample())
            let (new, fresh) = (try Device.sample(), LedgerEntry.Spend.fresh())
            let entry = everything(spends: [fresh], registers: new, advances: [(known.id, 1), (.random(), 1)])
            try await expectNoTrace(of: entry, .unknownDevice, it, known, new, fresh)
        },
        ContractCheck("The reason of a refusal is the first in the documented order") { it in
            let day: Int64 = 86_400_000
            let known = try await it.register(.sample(counter: 5))
            let spent = LedgerEntry.Spend.fresh(expiry: LedgerUnderTest.now.adding(milliseconds: 10 * day))
            try await it.expect(.sample(spends: [.fresh(), spent]), .committed, "a token that stays and one that goes")
            let asked = LedgerEntry.Idempotency(
                key: [1], request: [2], expiry: LedgerUnderTest.now.adding(milliseconds: 10 * day), verdict: [3], device: nil)
            try await it.expect(.sample(idempotency: asked), .committed, "a verdict that is kept")
            try await it.ledger.purge(now: LedgerUnderTest.now.adding(milliseconds: 2 * day))

            // Every check fails for this entry; then one after the other is put right.
            var spends: [LedgerEntry.Spend] = [.fresh(expiry: LedgerUnderTest.now), spent]
            var registrations = [try Device.sample(keyID: known.registration.keyID)]
            var advances: [LedgerEntry.Advance] = [
                .init(device: .random(), counter: 0, rule: .strictlyIncreasing),
                .init(device: known.id, counter: 5, rule: .strictlyIncreasing),
            ]
            var kept: LedgerEntry.Idempotency? = .init(
                key: [1], request: [9], expiry: LedgerUnderTest.expiry, verdict: [3], device: nil)
            func expect(_ outcome: CommitOutcome, _ what: String) async throws {
                let entry = LedgerEntry.sample(
                    spends: spends, registrations: registrations, devicesPerSubject: 1, advances: advances,
                    idempotency: kept)
                try await it.expect(entry, outcome, what)
            }
            try await expect(.refused(.idempotencyKeyReused), "idempotency comes first")
            kept = nil
            try await expect(.refused(.unknownDevice), "then unknown devices")
            advances.removeFirst()
            _ = try await it.block(.device(known.id))
            try await expect(.refused(.deviceBlocked), "then blocked devices")
            _ = try await it.ledger.unblock(.device(known.id))
            try await expect(.refused(.challengeExpired), "then what lies below the horizon")
            spends.removeFirst()
            try await expect(.refused(.challengeReused), "then what was spent")
            spends = [.fresh(expiry: spent.expiry)]
            try await expect(.refused(.counterNotIncreasing), "then counters")
            advances = [.init(device: known.id, counter: 6, rule: .strictlyIncreasing)]
            _ = try await it.ledger.forget(known.id)
            let again = known.again(subject: LedgerUnderTest.subject)
            let later = LedgerEntry.Spend.fresh(expiry: spent.expiry)
            try await it.expect(.register(again, spends: [later]), .committed, "a device of a subject")
            advances = []
            registrations = [again.again()]
            _ = try await it.block(.subject(LedgerUnderTest.subject, of: again.app))
            try await expect(.refused(.deviceBlocked), "then blocked subjects and keys")
            _ = try await it.ledger.unblock(.subject(LedgerUnderTest.subject, of: again.app))
            try await expect(.refused(.keyAlreadyRegistered), "then keys that are registered")
            registrations = [try .sample(subject: LedgerUnderTest.subject)]
            try await expect(.refused(.tooManyDevices), "then the number of devices")
            registrations = [try .sample()]
            try await expect(.committed, "then nothing")
        },
        ContractCheck("The device is checked before the token") { it in
            let known = try await it.register(.sample())
            let spent = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spent]), .committed, "the token")
            try await it.expect(.advance(.random(), to: 1, spends: [spent]), .refused(.unknownDevice), "an unknown device")
            try await it.expect(.advance(known.id, to: 0, spends: [spent]), .refused(.challengeReused), "a stale counter")
            _ = try await it.block(.device(known.id))
            try await it.expect(.advance(known.id, to: 0, spends: [spent]), .refused(.deviceBlocked), "a blocked device")
        },
    ]

    /// An entry with changes of every kind.
    private static func everything(
        spends: [LedgerEntry.Spend], registers new: Device, _ more: Device..., advances: [(device: DeviceID, counter: UInt32)]
    ) -> LedgerEntry {
        .sample(
            spends: spends, registrations: [new] + more,
            advances: advances.map { .init(device: $0.device, counter: $0.counter, rule: .strictlyIncreasing) },
            idempotency: .init(key: [1], request: [2], expiry: LedgerUnderTest.expiry, verdict: [3], device: new.id),
            about: new.id)
    }

    /// Commits an entry that is refused between two that are not, and looks for changes.
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

extension VerdictLedgerContract {
    static let idempotencyChecks: [ContractCheck] = [
        ContractCheck("64 requests race under one idempotency key: one is committed, and the others get its verdict") { it in
            let key = SecureRandom.bytes(32)
            let outcomes = try await it.race((0..<UInt8(racers)).map { .ask(key: key, request: [1], verdict: [$0]) })
            try same(outcomes.count { $0 == .committed }, 1, "winners")
            guard let kept = try await it.ledger.verdict(idempotencyKey: key, now: LedgerUnderTest.now) else {
                throw ContractViolation("no verdict is kept")
            }
            let repeated = outcomes.count { $0 == .repeated(verdict: kept.verdict) }
            try same(repeated, racers - 1, "losers that got the winner's verdict")
            try same(await it.ledger.status().auditCount, 1, "accepted verdicts")
        },
        ContractCheck("A stored verdict is repeated to an equal request") { it in
            let entry = LedgerEntry.ask(key: [1], request: [2], verdict: [3])
            try await it.expect(entry, .committed, "the first time")
            let kept = try await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now)
            try same(kept, StoredVerdict(request: [2], verdict: [3], objection: nil), "what is kept")
            try await it.expect(entry, .repeated(verdict: [3]), "the same entry, its token spent")
        },
        ContractCheck("An idempotency key with another request is refused") { it in
            try await it.expect(.ask(key: [1], request: [2], verdict: [3]), .committed, "the first request")
            let other = LedgerEntry.ask(key: [1], request: [9], verdict: [3])
            try await it.expect(other, .refused(.idempotencyKeyReused), "the second request")
        },
        ContractCheck("A stored verdict is not repeated from its expiry on") { it in
            let expiry = LedgerUnderTest.expiry
            try await it.expect(.ask(key: [1], request: [2], verdict: [3], expiry: expiry), .committed, "the first request")
            let before = expiry.adding(milliseconds: -1)
            try same(await it.ledger.verdict(idempotencyKey: [1], now: before)?.verdict, [3], "a moment before")
            try same(await it.ledger.verdict(idempotencyKey: [1], now: expiry), nil, "at the expiry")
            let later = expiry.adding(milliseconds: 300_000)
            let other = LedgerEntry.ask(key: [1], request: [9], verdict: [4], time: expiry, expiry: later)
            try await it.expect(other, .committed, "another request under the key, at the expiry")
            try same(await it.ledger.verdict(idempotencyKey: [1], now: expiry)?.verdict, [4], "the new verdict")
        },
        ContractCheck("A stored verdict may be empty") { it in
            let entry = LedgerEntry.ask(key: [1], request: [2], verdict: [])
            try await it.expect(entry, .committed, "the first time")
            try await it.expect(entry, .repeated(verdict: []), "the second time")
        },
    ]
}
