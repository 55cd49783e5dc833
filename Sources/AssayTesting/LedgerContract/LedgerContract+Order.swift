import AssayCore

extension LedgerContract {
    static let orderQuestions = [
        Question("gives the reason that comes first in the documented order") { it in
            let day: Int64 = 86_400_000
            let known = try await it.register(.sample(counter: 5))
            let spent = LedgerEntry.Spend.fresh(expiry: LedgerUnderTest.now.adding(milliseconds: 10 * day))
            try await it.expect(.sample(spends: [.fresh(), spent]), .committed, "a token that stays and one that goes")
            let asked = LedgerEntry.Idempotency(
                key: [1], request: [2], expiry: LedgerUnderTest.now.adding(milliseconds: 10 * day), verdict: [3], device: nil)
            try await it.expect(.sample(idempotency: asked), .committed, "a verdict that is kept")
            try await it.ledger.purge(now: LedgerUnderTest.now.adding(milliseconds: 2 * day))

            // Everything speaks against this entry; then one thing after the other is put right.
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
        Question("gives the reason of the device before that of the token") { it in
            let known = try await it.register(.sample())
            let spent = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spent]), .committed, "the token")
            try await it.expect(.advance(.random(), to: 1, spends: [spent]), .refused(.unknownDevice), "an unknown device")
            try await it.expect(.advance(known.id, to: 0, spends: [spent]), .refused(.challengeReused), "a stale counter")
            _ = try await it.block(.device(known.id))
            try await it.expect(.advance(known.id, to: 0, spends: [spent]), .refused(.deviceBlocked), "a blocked device")
        },
    ]
}
