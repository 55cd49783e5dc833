import AssayCore

/// The checks of `LedgerMaintenance`.
public enum LedgerMaintenanceContract {
    public static let checks: [ContractCheck] = [
        ContractCheck("No token is fresh at or below the spent horizon") { it in
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
        ContractCheck("The spent horizon never falls") { it in
            let day: Int64 = 86_400_000
            try await it.expect(.sample(), .committed, "a token")
            try await it.ledger.purge(now: LedgerUnderTest.now.adding(milliseconds: 2 * day))
            let horizon = try await it.ledger.status().spentHorizon
            for now in [LedgerUnderTest.now, Timestamp(unixSeconds: 0), LedgerUnderTest.now.adding(milliseconds: 3 * day)] {
                try await it.ledger.purge(now: now)
                try same(await it.ledger.status().spentHorizon, horizon, "the horizon after nothing was dropped")
            }
        },
        ContractCheck("A purge keeps spent tokens that have not expired") { it in
            for spend in [LedgerEntry.Spend.fresh(), .fresh(expiryIsFixed: true)] {
                try await it.expect(.sample(spends: [spend]), .committed, "the token")
                try await it.ledger.purge(now: spend.expiry.adding(milliseconds: -1))
                try await it.expect(.sample(spends: [spend]), .refused(.challengeReused), "it a moment before its expiry")
            }
        },
        ContractCheck("A purge removes expired verdicts and no others") { it in
            let later = LedgerUnderTest.expiry.adding(milliseconds: 1)
            try await it.expect(.ask(key: [1], request: [2], verdict: [3]), .committed, "one that expires")
            try await it.expect(.ask(key: [2], request: [2], verdict: [3], expiry: later), .committed, "one that stays")
            try await it.ledger.purge(now: LedgerUnderTest.expiry)
            try same(await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now), nil, "the one that expired")
            try same(await it.ledger.verdict(idempotencyKey: [2], now: LedgerUnderTest.now)?.verdict, [3], "the one that stays")
        },
        ContractCheck("A purge removes submissions that no count includes any more, and no others") { it in
            let hour: Int64 = 3_600_000
            let device = try await it.register(.sample())
            let start = Timestamp(unixMilliseconds: LedgerUnderTest.now.unixMilliseconds / hour * hour)
            for hours in 0..<4 as Range<Int64> {
                let time = start.adding(milliseconds: hours * hour)
                let spend = LedgerEntry.Spend.fresh(expiry: .distantFuture)
                try await it.expect(.submit(device.id, atMost: 9, time: time, spends: [spend]), .committed, "a submission")
            }
            // A count includes the hour of its instant and the 24 before.
            let last = start.adding(milliseconds: 26 * hour - 1)
            for (now, kept) in [(start.adding(milliseconds: 25 * hour - 1), 4), (last, 3), (last.adding(milliseconds: 1), 2)]
                as [(Timestamp, Int64)]
            {
                try await it.ledger.purge(now: now)
                let found = try await it.ledger.submissions(of: device.id, at: start.adding(milliseconds: 3 * hour))
                try same(found, kept, "submissions after the purge at \(now)")
            }
        },
        ContractCheck("Old audit rows are dropped from the front and the chain continues") { it in
            try await log(10, it)
            let before = try await it.ledger.audit(from: 1, limit: 10)
            let trimmed = try await it.ledger.trim(to: Retention(auditFrom: LedgerUnderTest.now.adding(milliseconds: 4)))
            let start = AuditChain(number: 4, head: before.rows[3].head)
            try same(trimmed, Trimmed(auditRows: 4, start: start, evidence: 10), "what was dropped")
            let after = try await it.ledger.audit(from: 1, limit: 10)
            try same(
                after, AuditPage(of: before.writer, start: start, last: 10, rows: Array(before.rows[4...])), "what is left")
            _ = try await it.ledger.commit([.sample()])
            try await expectWhole(it, from: 4, to: 11)
            let status = try await it.ledger.status()
            try same(status.auditCount, 11, "records ever")
            try same(status.auditDropped, 4, "records dropped")
        },
        ContractCheck("The chain continues after all audit rows were dropped") { it in
            try await log(3, it)
            let (head, writer) = (try await it.ledger.status().auditHead, try await it.ledger.status().writer)
            _ = try await it.ledger.trim(to: Retention(auditFrom: .distantFuture))
            let empty = AuditPage(of: writer, start: AuditChain(number: 3, head: head), last: 3, rows: [])
            try same(await it.ledger.audit(from: 1, limit: 10), empty, "what is left")
            try same(await it.ledger.status().auditHead, head, "the head")
            try same(await it.ledger.status().auditCount, 3, "records ever")
            try await log(2, it)
            try await expectWhole(it, from: 3, to: 5)
        },
        ContractCheck("Audit rows are dropped up to the first that is young enough, whatever the times of later rows") { it in
            for milliseconds in [1, 2, 9, 3, 4] as [Int64] {
                _ = try await it.ledger.commit([.sample(time: LedgerUnderTest.now.adding(milliseconds: milliseconds))])
            }
            let trimmed = try await it.ledger.trim(to: Retention(auditFrom: LedgerUnderTest.now.adding(milliseconds: 5)))
            try same(trimmed.auditRows, 2, "rows dropped")
            try await expectWhole(it, from: 2, to: 5)
        },
        ContractCheck("Audit rows beyond either limit are dropped") { it in
            try await log(10, it)
            try same(await it.ledger.trim(to: Retention(auditRows: 10)).auditRows, 0, "rows dropped at the limit")
            try same(await it.ledger.trim(to: Retention(auditRows: 7)).auditRows, 3, "rows dropped beyond it")
            let young = Retention(auditFrom: LedgerUnderTest.now.adding(milliseconds: 5), auditRows: 6)
            try same(await it.ledger.trim(to: young).auditRows, 2, "rows dropped for their age")
            let few = Retention(auditFrom: LedgerUnderTest.now.adding(milliseconds: 6), auditRows: 2)
            try same(await it.ledger.trim(to: few).auditRows, 3, "rows dropped, most for their number")
            try await expectWhole(it, from: 8, to: 10)
            try same(await it.ledger.trim(to: Retention(auditRows: 0)).auditRows, 2, "rows dropped where none may be kept")
            try await log(1, it)
            try await expectWhole(it, from: 10, to: 11)
        },
        ContractCheck("Many audit rows are dropped in several calls") { it in
            _ = try await it.ledger.commit((0...AuditPage.limit).map { _ in .sample() })
            var (dropped, counted) = ([Int64](), [Int64]())
            while true {
                let trimmed = try await it.ledger.trim(to: Retention(auditFrom: .distantFuture))
                dropped.append(trimmed.auditRows)
                counted.append(trimmed.evidence)
                guard trimmed.hasMore else { break }
            }
            try same(dropped, [Int64(AuditPage.limit), 1], "rows dropped each time")
            try same(counted, [0, Int64(AuditPage.limit) + 1], "uses of evidence counted each time")
        },
        ContractCheck("Nothing is dropped without limits") { it in
            try await log(3, it)
            try await it.expect(.ask(key: [1], request: [2], verdict: [3]), .committed, "a verdict that is kept")
            try same(await it.ledger.trim(to: Retention()), Trimmed(evidence: 4), "what was dropped")
            try await expectWhole(it, from: 0, to: 4)
        },
        ContractCheck("Claims are dropped with their audit records") { it in
            let claims = AuditClaims(salt: [1], claims: [2])
            for milliseconds in 0..<3 as Range<Int64> {
                let time = LedgerUnderTest.now.adding(milliseconds: milliseconds)
                try await it.expect(.sample(time: time, claims: claims), .committed, "an entry with claims")
            }
            _ = try await it.ledger.trim(to: Retention(auditFrom: LedgerUnderTest.now.adding(milliseconds: 2)))
            for (number, kept) in [(1, nil), (2, nil), (3, claims)] as [(Int64, AuditClaims?)] {
                try same(await it.ledger.auditClaims(of: number), kept, "claims of record \(number)")
            }
        },
        ContractCheck("Surplus verdicts are dropped oldest first, and their challenges stay spent") { it in
            let entries = (1...5).map { LedgerEntry.ask(key: [$0], request: [2], verdict: [$0]) }
            for entry in entries { try await it.expect(entry, .committed, "a verdict that is kept") }
            try same(await it.ledger.trim(to: Retention(verdicts: 5)).verdicts, 0, "verdicts dropped at the limit")
            try same(await it.ledger.trim(to: Retention(verdicts: 2)).verdicts, 3, "verdicts dropped beyond it")
            for (key, kept) in zip(1...5 as ClosedRange<UInt8>, [nil, nil, nil, [4], [5]] as [[UInt8]?]) {
                let found = try await it.ledger.verdict(idempotencyKey: [key], now: LedgerUnderTest.now)?.verdict
                try same(found, kept, "the verdict under key \(key)")
            }
            try await it.expect(entries[0], .refused(.challengeReused), "the request whose verdict was forgotten")
            try await it.expect(entries[4], .repeated(verdict: [5]), "the request whose verdict is kept")
        },
        ContractCheck("Surplus spent challenges are dropped in the order of their expiry, and none is fresh again") { it in
            let minutes = (1...12).map { LedgerEntry.Spend.fresh(expiry: minute($0), expiryIsFixed: true) }
            let uses = [1, 15, 600].map { LedgerEntry.Spend.fresh(expiry: minute($0)) }
            // Out of order, several in each commit.
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
        ContractCheck("Uses of evidence are never dropped before their expiry") { it in
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
    ]

    private static func log(_ count: Int64, _ it: LedgerUnderTest) async throws {
        _ = try await it.ledger.commit((0..<count).map { .sample(time: LedgerUnderTest.now.adding(milliseconds: $0)) })
    }

    /// The log begins after record `start`, ends with record `end`, and is chained between.
    private static func expectWhole(_ it: LedgerUnderTest, from start: Int64, to end: Int64) async throws {
        let page = try await it.ledger.audit(from: .min, limit: AuditPage.limit)
        try same(page.start.number, start, "where the log begins")
        var verifier = AuditVerifier(from: page.start)
        for row in page.rows { verifier.take(row) }
        try same(verifier.finish(), nil, "what is wrong with the chain")
        try same(verifier.chain.number, end, "where the log ends")
        try same(await it.ledger.status().auditHead, verifier.chain.head, "the head")
    }

    private static func minute(_ number: Int) -> Timestamp { LedgerUnderTest.now.adding(milliseconds: Int64(number) * 60_000) }
}
