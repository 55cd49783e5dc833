import AssayCore

extension LedgerContract {
    static let auditQuestions = [
        Question("reads an empty audit log") { it in
            let empty = AuditPage(start: AuditChain(), last: 0, rows: [])
            try same(await it.ledger.audit(from: 1, limit: 10), empty, "the page")
        },
        Question("reads the audit log in pages, as it was chained") { it in
            let entries = (0..<10).map { LedgerEntry.sample(time: LedgerUnderTest.now.adding(milliseconds: $0)) }
            _ = try await it.ledger.commit(entries)
            var chain = AuditChain()
            let rows = entries.map { entry in
                chain.append(entry.audit.bytes, at: entry.time)
                return AuditRow(number: chain.number, time: entry.time, record: entry.audit.bytes, head: chain.head)
            }
            func expect(_ range: Range<Int>, from number: Int64, limit: Int) async throws {
                let page = AuditPage(start: AuditChain(), last: 10, rows: Array(rows[range]))
                try same(await it.ledger.audit(from: number, limit: limit), page, "\(limit) rows from \(number)")
            }
            try await expect(0..<10, from: 1, limit: 10)
            try await expect(0..<10, from: .min, limit: .max)
            try await expect(2..<5, from: 3, limit: 3)
            try await expect(9..<10, from: 10, limit: 10)
            try await expect(0..<0, from: 11, limit: 10)
            try await expect(0..<0, from: 1, limit: 0)
            try await expect(0..<0, from: 1, limit: -1)
        },
        Question("reads no more audit rows at once than it should") { it in
            _ = try await it.ledger.commit((0...AuditPage.limit).map { _ in .sample() })
            try same(await it.ledger.audit(from: 1, limit: .max).rows.count, AuditPage.limit, "rows")
        },
        Question("drops old audit rows from the front, and the chain goes on") { it in
            try await log(10, it)
            let before = try await it.ledger.audit(from: 1, limit: 10)
            let trimmed = try await it.ledger.trim(to: Retention(auditFrom: LedgerUnderTest.now.adding(milliseconds: 4)))
            let start = AuditChain(number: 4, head: before.rows[3].head)
            try same(trimmed, Trimmed(auditRows: 4, start: start, evidence: 10), "what was dropped")
            let after = try await it.ledger.audit(from: 1, limit: 10)
            try same(after, AuditPage(start: start, last: 10, rows: Array(before.rows[4...])), "what is left")
            _ = try await it.ledger.commit([.sample()])
            try await expectWhole(it, from: 4, to: 11)
            let status = try await it.ledger.status()
            try same(status.auditCount, 11, "records ever")
            try same(status.auditDropped, 4, "records dropped")
        },
        Question("goes on with the chain after every audit row was dropped") { it in
            try await log(3, it)
            let head = try await it.ledger.status().auditHead
            _ = try await it.ledger.trim(to: Retention(auditFrom: .distantFuture))
            let empty = AuditPage(start: AuditChain(number: 3, head: head), last: 3, rows: [])
            try same(await it.ledger.audit(from: 1, limit: 10), empty, "what is left")
            try same(await it.ledger.status().auditHead, head, "the head")
            try same(await it.ledger.status().auditCount, 3, "records ever")
            try await log(2, it)
            try await expectWhole(it, from: 3, to: 5)
        },
        Question("drops audit rows up to the first that is to be kept, whatever the times of later ones") { it in
            for milliseconds in [1, 2, 9, 3, 4] as [Int64] {
                _ = try await it.ledger.commit([.sample(time: LedgerUnderTest.now.adding(milliseconds: milliseconds))])
            }
            let trimmed = try await it.ledger.trim(to: Retention(auditFrom: LedgerUnderTest.now.adding(milliseconds: 5)))
            try same(trimmed.auditRows, 2, "rows dropped")
            try await expectWhole(it, from: 2, to: 5)
        },
        Question("drops audit rows that are too many, or too old, whichever are more") { it in
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
        Question("drops a long front of the audit log bit by bit") { it in
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
        Question("drops nothing without a limit") { it in
            try await log(3, it)
            try await it.expect(.ask(key: [1], request: [2], verdict: [3]), .committed, "a verdict that is kept")
            try same(await it.ledger.trim(to: Retention()), Trimmed(evidence: 4), "what was dropped")
            try await expectWhole(it, from: 0, to: 4)
        },
        Question("forgets the verdicts that were kept first where there are too many, and accepts nothing twice for it") { it in
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
    ]

    private static func log(_ count: Int64, _ it: LedgerUnderTest) async throws {
        _ = try await it.ledger.commit((0..<count).map { .sample(time: LedgerUnderTest.now.adding(milliseconds: $0)) })
    }

    /// The log begins after one number, ends with another, and is chained in between.
    private static func expectWhole(_ it: LedgerUnderTest, from start: Int64, to end: Int64) async throws {
        let page = try await it.ledger.audit(from: .min, limit: AuditPage.limit)
        try same(page.start.number, start, "where the log begins")
        var verifier = AuditVerifier(from: page.start)
        for row in page.rows { verifier.take(row) }
        try same(verifier.finish(), nil, "what is wrong with the chain")
        try same(verifier.chain.number, end, "where the log ends")
        try same(await it.ledger.status().auditHead, verifier.chain.head, "the head")
    }
}
