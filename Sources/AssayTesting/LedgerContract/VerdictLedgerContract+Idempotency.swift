import AssayCore

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
