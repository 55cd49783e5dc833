import AssayCore

extension LedgerContract {
    static let spendQuestions = [
        Question("lets one of many racers spend a token") { it in
            let spend = LedgerEntry.Spend.fresh()
            let entries = (0..<racers).map { _ in LedgerEntry.sample(spends: [spend]) }
            try await it.expectOneWinner(entries, others: .challengeReused)
        },
        Question("lets one of many racers spend a token whose expiry is fixed") { it in
            let spend = LedgerEntry.Spend.fresh(expiryIsFixed: true)
            let entries = (0..<racers).map { _ in LedgerEntry.sample(spends: [spend]) }
            try await it.expectOneWinner(entries, others: .challengeReused)
        },
        Question("spends a token whose expiry is fixed once, however long it is kept") { it in
            for life in [0, 300_000, 3_600_000, 40 * 86_400_000] as [Int64] {
                let spend = LedgerEntry.Spend.fresh(expiry: LedgerUnderTest.now.adding(milliseconds: life), expiryIsFixed: true)
                try await it.expect(.sample(spends: [spend]), .committed, "a token for \(life) ms")
                for time in [LedgerUnderTest.now, spend.expiry.adding(milliseconds: -1), spend.expiry] {
                    try await it.expect(.sample(time: time, spends: [spend]), .refused(.challengeReused), "it at \(time)")
                }
            }
        },
        Question("lets the first of one call spend a token") { it in
            let spend = LedgerEntry.Spend.fresh()
            let outcomes = try await it.ledger.commit((0..<racers).map { _ in .sample(spends: [spend]) })
            try same(outcomes.first, .committed, "the first")
            try same(outcomes.dropFirst().allSatisfy { $0 == .refused(.challengeReused) }, true, "all others refused")
        },
        Question("spends a token once, whatever expiry it comes with") { it in
            let token = SecureRandom.bytes(16)
            let expiries = [300_000, 301_000, 3_600_000, 40 * 86_400_000].map { LedgerUnderTest.now.adding(milliseconds: $0) }
            for (index, expiry) in expiries.enumerated() {
                let entry = LedgerEntry.sample(spends: [.init(token: token, expiry: expiry)])
                try await it.expect(entry, index == 0 ? .committed : .refused(.challengeReused), "expiry number \(index)")
            }
        },
        Question("refuses an entry that spends a token twice") { it in
            let spend = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spend, spend]), .refused(.challengeReused), "the entry")
            try await it.expect(.sample(spends: [spend]), .committed, "the token afterwards")
        },
        Question("never lets anything be fresh at or below the horizon") { it in
            let day: Int64 = 86_400_000
            let (spent, fixed) = (LedgerEntry.Spend.fresh(), LedgerEntry.Spend.fresh(expiryIsFixed: true))
            try await it.expect(.sample(spends: [spent, fixed]), .committed, "the tokens")
            let later = LedgerUnderTest.now.adding(milliseconds: 2 * day)
            try await it.ledger.purge(now: later)
            let horizon = try await it.ledger.status().spentHorizon
            try same(horizon >= spent.expiry && horizon <= later, true, "a horizon between the expiry and now")
            for token in [spent, fixed] {
                try await it.expect(.sample(spends: [token]), .refused(.challengeExpired), "a token after the purge")
            }
            try await it.expect(
                .sample(spends: [.fresh(expiry: horizon)]), .refused(.challengeExpired), "a fresh token at the horizon")
            let above = horizon.adding(milliseconds: 1)
            try await it.expect(.sample(spends: [.fresh(expiry: above)]), .committed, "a fresh token above the horizon")
        },
        Question("never lowers the horizon") { it in
            let day: Int64 = 86_400_000
            try await it.expect(.sample(), .committed, "a token")
            try await it.ledger.purge(now: LedgerUnderTest.now.adding(milliseconds: 2 * day))
            let horizon = try await it.ledger.status().spentHorizon
            for now in [LedgerUnderTest.now, Timestamp(unixSeconds: 0), LedgerUnderTest.now.adding(milliseconds: 3 * day)] {
                try await it.ledger.purge(now: now)
                try same(await it.ledger.status().spentHorizon, horizon, "the horizon after nothing was dropped")
            }
        },
        Question("forgets nothing that can still be spent") { it in
            for spend in [LedgerEntry.Spend.fresh(), .fresh(expiryIsFixed: true)] {
                try await it.expect(.sample(spends: [spend]), .committed, "the token")
                try await it.ledger.purge(now: spend.expiry.adding(milliseconds: -1))
                try await it.expect(.sample(spends: [spend]), .refused(.challengeReused), "it a moment before its expiry")
            }
        },
        Question("forgets the challenges that expire first where too many are spent, and none of them is good again") { it in
            let minutes = (1...12).map { LedgerEntry.Spend.fresh(expiry: minute($0), expiryIsFixed: true) }
            let uses = [1, 15, 600].map { LedgerEntry.Spend.fresh(expiry: minute($0)) }
            // In no order, and several to a commit.
            try await it.expect(.sample(spends: [minutes[11], minutes[0], uses[0]]), .committed, "the first tokens")
            try await it.expect(.sample(spends: minutes[1...10].reversed() + uses[1...]), .committed, "the others")
            try same(await it.ledger.trim(to: Retention(challenges: 12)), Trimmed(evidence: 3), "what goes at the limit")
            try same(await it.ledger.trim(to: Retention(challenges: 5)).challenges, 7, "challenges forgotten beyond it")
            try same(await it.ledger.trim(to: Retention(challenges: 5)), Trimmed(evidence: 3), "what goes after that")
            let horizon = try await it.ledger.status().spentHorizon
            try same(horizon >= minutes[6].expiry && horizon < minutes[7].expiry, true, "a horizon between gone and kept")
            for (index, spend) in minutes.enumerated() {
                let outcome = CommitOutcome.refused(index < 7 ? .challengeExpired : .challengeReused)
                try await it.expect(.sample(spends: [spend]), outcome, "the challenge of minute \(index + 1)")
            }
            let open = LedgerEntry.Spend.fresh(expiry: horizon, expiryIsFixed: true)
            try await it.expect(.sample(spends: [open]), .refused(.challengeExpired), "an open challenge among those forgotten")
            let later = LedgerEntry.Spend.fresh(expiry: horizon.adding(milliseconds: 1), expiryIsFixed: true)
            try await it.expect(.sample(spends: [later]), .committed, "an open challenge after them")
        },
        Question("never forgets early what may come again with a later expiry") { it in
            let uses = (1...3).map { LedgerEntry.Spend.fresh(expiry: minute($0)) }
            try await it.expect(.sample(spends: uses), .committed, "uses of evidence")
            try await it.expect(.sample(spends: [.fresh(expiry: minute(9), expiryIsFixed: true)]), .committed, "a challenge")
            try same(
                await it.ledger.trim(to: Retention(challenges: 0)), Trimmed(challenges: 1, evidence: 3), "what is forgotten")
            for use in uses {
                let again = LedgerEntry.Spend(token: use.token, expiry: minute(600))
                try await it.expect(.sample(spends: [again]), .refused(.challengeReused), "a use with a later expiry")
            }
        },
        Question("begins with a horizon below everything") { it in
            try same(await it.ledger.status().spentHorizon, .distantPast, "the horizon")
            let old = LedgerEntry.Spend.fresh(expiry: Timestamp(unixMilliseconds: -1_000_000_001))
            try await it.expect(.sample(spends: [old]), .committed, "a token of the year 1969")
            try await it.expect(.sample(spends: [old]), .refused(.challengeReused), "it again")
        },
    ]

    private static func minute(_ number: Int) -> Timestamp { LedgerUnderTest.now.adding(milliseconds: Int64(number) * 60_000) }
}
