import AssayCore

extension LedgerContract {
    static let idempotencyQuestions = [
        Question("gives racers with one idempotency key the winner's verdict") { it in
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
        Question("keeps a verdict for the one who asks again") { it in
            let entry = LedgerEntry.ask(key: [1], request: [2], verdict: [3])
            try await it.expect(entry, .committed, "the first time")
            let kept = try await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now)
            try same(kept, StoredVerdict(request: [2], verdict: [3], objection: nil), "what is kept")
            try await it.expect(entry, .repeated(verdict: [3]), "the same entry, its token spent")
        },
        Question("refuses an idempotency key that comes with another request") { it in
            try await it.expect(.ask(key: [1], request: [2], verdict: [3]), .committed, "the first request")
            let other = LedgerEntry.ask(key: [1], request: [9], verdict: [3])
            try await it.expect(other, .refused(.idempotencyKeyReused), "the second request")
        },
        Question("forgets a verdict when it expires") { it in
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
        Question("purges expired verdicts and no others") { it in
            let later = LedgerUnderTest.expiry.adding(milliseconds: 1)
            try await it.expect(.ask(key: [1], request: [2], verdict: [3]), .committed, "one that expires")
            try await it.expect(.ask(key: [2], request: [2], verdict: [3], expiry: later), .committed, "one that stays")
            try await it.ledger.purge(now: LedgerUnderTest.expiry)
            try same(await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now), nil, "the one that expired")
            try same(await it.ledger.verdict(idempotencyKey: [2], now: LedgerUnderTest.now)?.verdict, [3], "the one that stays")
        },
        Question("keeps a verdict of no bytes") { it in
            let entry = LedgerEntry.ask(key: [1], request: [2], verdict: [])
            try await it.expect(entry, .committed, "the first time")
            try await it.expect(entry, .repeated(verdict: []), "the second time")
        },
    ]
}
