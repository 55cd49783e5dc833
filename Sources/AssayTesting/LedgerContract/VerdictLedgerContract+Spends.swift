import AssayCore

extension VerdictLedgerContract {
    static let spendChecks: [ContractCheck] = [
        ContractCheck("64 entries race for a token: exactly one is committed") { it in
            let spend = LedgerEntry.Spend.fresh()
            let entries = (0..<racers).map { _ in LedgerEntry.sample(spends: [spend]) }
            try await it.expectOneWinner(entries, others: .challengeReused)
        },
        ContractCheck("64 entries race for a token with a fixed expiry: exactly one is committed") { it in
            let spend = LedgerEntry.Spend.fresh(expiryIsFixed: true)
            let entries = (0..<racers).map { _ in LedgerEntry.sample(spends: [spend]) }
            try await it.expectOneWinner(entries, others: .challengeReused)
        },
        ContractCheck("A token with a fixed expiry is spent once, whatever its lifetime is") { it in
            for life in [0, 300_000, 3_600_000, 40 * 86_400_000] as [Int64] {
                let spend = LedgerEntry.Spend.fresh(expiry: LedgerUnderTest.now.adding(milliseconds: life), expiryIsFixed: true)
                try await it.expect(.sample(spends: [spend]), .committed, "a token for \(life) ms")
                for time in [LedgerUnderTest.now, spend.expiry.adding(milliseconds: -1), spend.expiry] {
                    try await it.expect(.sample(time: time, spends: [spend]), .refused(.challengeReused), "it at \(time)")
                }
            }
        },
        ContractCheck("Of the entries of one call that spend a token, the first is committed") { it in
            let spend = LedgerEntry.Spend.fresh()
            let outcomes = try await it.ledger.commit((0..<racers).map { _ in .sample(spends: [spend]) })
            try same(outcomes.first, .committed, "the first")
            try same(outcomes.dropFirst().allSatisfy { $0 == .refused(.challengeReused) }, true, "all others refused")
        },
        ContractCheck("A token is spent once, whatever its expiry is in later entries") { it in
            let token = SecureRandom.bytes(16)
            let expiries = [300_000, 301_000, 3_600_000, 40 * 86_400_000].map { LedgerUnderTest.now.adding(milliseconds: $0) }
            for (index, expiry) in expiries.enumerated() {
                let entry = LedgerEntry.sample(spends: [.init(token: token, expiry: expiry)])
                try await it.expect(entry, index == 0 ? .committed : .refused(.challengeReused), "expiry number \(index)")
            }
        },
        ContractCheck("An entry that spends a token twice is refused") { it in
            let spend = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spend, spend]), .refused(.challengeReused), "the entry")
            try await it.expect(.sample(spends: [spend]), .committed, "the token afterwards")
        },
        ContractCheck("A token without a fixed expiry is said to be spent once an entry has spent it") { it in
            let (near, far, never) = (SecureRandom.bytes(16), SecureRandom.bytes(16), SecureRandom.bytes(16))
            let spends = [(near, 300_000), (far, 40 * 86_400_000)].map {
                LedgerEntry.Spend(token: $0.0, expiry: LedgerUnderTest.now.adding(milliseconds: Int64($0.1)))
            }
            try same(await it.ledger.areSpent([near, far, never]), [false, false, false], "before")
            try await it.expect(.sample(spends: spends), .committed, "the tokens")
            try same(await it.ledger.areSpent([never, far, near]), [false, true, true], "afterwards")
            try same(await it.ledger.areSpent([]), [], "no token")
        },
        ContractCheck("The spent horizon of a new ledger is below every time") { it in
            try same(await it.ledger.status().spentHorizon, .distantPast, "the horizon")
            let old = LedgerEntry.Spend.fresh(expiry: Timestamp(unixMilliseconds: -1_000_000_001))
            try await it.expect(.sample(spends: [old]), .committed, "a token of the year 1969")
            try await it.expect(.sample(spends: [old]), .refused(.challengeReused), "it again")
        },
    ]
}
