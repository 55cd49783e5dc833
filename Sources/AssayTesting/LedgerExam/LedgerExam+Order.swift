import AssayCore

extension LedgerExam {
    static let orderQuestions = [
        Question("gives the reason that comes first in the documented order") { it in
            let day: Int64 = 86_400_000
            let known = try await it.register(.sample(counter: 5))
            let spent = LedgerEntry.Spend.fresh(expiry: Examinee.now.adding(milliseconds: 10 * day))
            try await it.expect(.sample(spends: [.fresh(), spent]), .committed, "a token that stays and one that goes")
            let asked = LedgerEntry.Idempotency(
                key: [1], request: [2], expiry: Examinee.now.adding(milliseconds: 10 * day), verdict: [3], device: nil)
            try await it.expect(.sample(idempotency: asked), .committed, "a verdict that is kept")
            try await it.ledger.purge(now: Examinee.now.adding(milliseconds: 2 * day))

            // Everything speaks against this entry; then one thing after the other is put right.
            var entry = LedgerEntry.sample(
                spends: [.fresh(expiry: Examinee.now), spent], registrations: [known],
                advances: [.init(device: known.id, counter: 200, rule: .window64)],
                idempotency: .init(key: [1], request: [9], expiry: Examinee.expiry, verdict: [3], device: nil))
            entry.registrations = [try .sample(keyID: known.registration.keyID)]
            entry.advances = [
                .init(device: .random(), counter: 0, rule: .strictlyIncreasing),
                .init(device: known.id, counter: 5, rule: .strictlyIncreasing),
            ]
            try await it.expect(entry, .refused(.idempotencyKeyReused), "idempotency comes first")
            entry.idempotency = nil
            try await it.expect(entry, .refused(.unknownDevice), "then unknown devices")
            entry.advances.removeFirst()
            _ = try await it.ledger.setBlock(Device.Block(reason: "exam", since: Examinee.now), on: known.id)
            try await it.expect(entry, .refused(.deviceBlocked), "then blocked devices")
            _ = try await it.ledger.setBlock(nil, on: known.id)
            try await it.expect(entry, .refused(.challengeExpired), "then what lies below the horizon")
            entry.spends.removeFirst()
            try await it.expect(entry, .refused(.challengeReused), "then what was spent")
            entry.spends = [.fresh(expiry: spent.expiry)]
            try await it.expect(entry, .refused(.counterNotIncreasing), "then counters")
            entry.advances = [.init(device: known.id, counter: 6, rule: .strictlyIncreasing)]
            try await it.expect(entry, .refused(.keyAlreadyRegistered), "then registrations")
            entry.registrations = [try .sample()]
            try await it.expect(entry, .committed, "then nothing")
        },
        Question("gives the reason of the device before that of the token") { it in
            let known = try await it.register(.sample())
            let spent = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spent]), .committed, "the token")
            try await it.expect(.advance(.random(), to: 1, spends: [spent]), .refused(.unknownDevice), "an unknown device")
            try await it.expect(.advance(known.id, to: 0, spends: [spent]), .refused(.challengeReused), "a stale counter")
            _ = try await it.ledger.setBlock(Device.Block(reason: "exam", since: Examinee.now), on: known.id)
            try await it.expect(.advance(known.id, to: 0, spends: [spent]), .refused(.deviceBlocked), "a blocked device")
        },
    ]
}
