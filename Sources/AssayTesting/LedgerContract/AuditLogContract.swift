import AssayCore

/// The checks of `AuditLog`.
public enum AuditLogContract {
    public static let checks: [ContractCheck] = [
        ContractCheck("The audit log of a new ledger is empty") { it in
            let status = try await it.ledger.status()
            try same(status.auditCount, 0, "records")
            try same(status.auditHead, AuditChain().head, "the head")
            try same(status.lastEntryAt, nil, "the time of the last record")
        },
        ContractCheck("Committed entries are chained and refused ones are not") { it in
            let device = try await it.register(.sample())
            let start = try await it.ledger.status()
            var chain = AuditChain(number: start.auditCount, head: start.auditHead)
            try same(chain.number, 1, "records after one registration")
            let spend = LedgerEntry.Spend.fresh()
            for step in 1...10 as ClosedRange<Int64> {
                let time = LedgerUnderTest.now.adding(milliseconds: step)
                // The second entry is refused.
                let pair = [
                    LedgerEntry.advance(device.id, to: UInt32(step), time: time),
                    LedgerEntry.advance(device.id, to: UInt32(step), time: time, spends: [spend]),
                ]
                try same(await it.ledger.commit(pair), [.committed, .refused(.counterNotIncreasing)], "step \(step)")
                chain.append(pair[0].audit.bytes, at: time)
                let status = try await it.ledger.status()
                try same(status.auditCount, chain.number, "records")
                try same(status.auditHead, chain.head, "the head of the chain after record \(chain.number)")
                try same(status.lastEntryAt, time, "the time of the last record")
            }
        },
        ContractCheck("The entries of one call are chained in order") { it in
            let entries = (0..<20).map { _ in LedgerEntry.sample() }
            _ = try await it.ledger.commit(entries)
            var chain = AuditChain()
            for entry in entries { chain.append(entry.audit.bytes, at: entry.time) }
            try same(await it.ledger.status().auditHead, chain.head, "the head of the chain")
        },
        ContractCheck("A page of an empty audit log is empty") { it in
            let empty = AuditPage(of: try await it.ledger.status().writer, start: AuditChain(), last: 0, rows: [])
            try same(await it.ledger.audit(from: 1, limit: 10), empty, "the page")
        },
        ContractCheck("Pages of the audit log hold the rows as they were chained") { it in
            let entries = (0..<10).map { LedgerEntry.sample(time: LedgerUnderTest.now.adding(milliseconds: $0)) }
            _ = try await it.ledger.commit(entries)
            var chain = AuditChain()
            let rows = entries.map { entry in
                chain.append(entry.audit.bytes, at: entry.time)
                return AuditRow(number: chain.number, time: entry.time, record: entry.audit.bytes, head: chain.head)
            }
            let writer = try await it.ledger.status().writer
            func expect(_ range: Range<Int>, from number: Int64, limit: Int) async throws {
                let page = AuditPage(of: writer, start: AuditChain(), last: 10, rows: Array(rows[range]))
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
        ContractCheck("The ledger's own writer is first of those that it lists, and its chain is that of calls that name none")
        { it in
            _ = try await it.ledger.commit((0..<3).map { _ in .sample() })
            let status = try await it.ledger.status()
            try same(await it.ledger.auditWriters().first, status.writer, "the first of the writers")
            try same(await it.ledger.auditWriters(), status.writers.map(\.writer), "the writers of the status")
            try same(Set(status.writers.map(\.writer)).count, status.writers.count, "different writers")
            try same(
                status.writers.first,
                AuditWriterStatus(
                    status.writer, start: status.auditStart, end: status.auditEnd, lastEntryAt: status.lastEntryAt),
                "the own chain among those of all writers")
            try same(
                await it.ledger.audit(of: status.writer, from: 2, limit: 1), await it.ledger.audit(from: 2, limit: 1),
                "a page with and without the writer's name")
        },
        ContractCheck("The chain of each listed writer can be read, and ends as the status says") { it in
            _ = try await it.ledger.commit((0..<3).map { _ in .sample() })
            for writer in try await it.ledger.status().writers {
                guard let page = try await it.ledger.audit(of: writer.writer, from: .min, limit: AuditPage.limit) else {
                    throw ContractViolation("no chain of the listed writer \"\(writer.writer)\"")
                }
                try same(page.writer, writer.writer, "the writer of the page")
                var verifier = AuditVerifier(from: page.start)
                for row in page.rows { verifier.take(row) }
                try same(verifier.finish(), nil, "what is wrong with the chain")
                try same(verifier.chain, writer.end, "the end of the chain")
                try same(page.start, writer.start, "the start of the chain")
            }
        },
        ContractCheck("A writer that the ledger does not have has no chain and no claims") { it in
            let claims = AuditClaims(salt: [1], claims: [2])
            try await it.expect(.sample(claims: claims), .committed, "an entry with claims")
            let status = try await it.ledger.status()
            try same(await it.ledger.auditClaims(of: 1, by: status.writer), claims, "the claims of the own writer's record")
            let absent = [AuditWriter(named: "absent"), .only].compactMap { $0 }.filter { $0 != status.writer }
            for writer in absent {
                try same(await it.ledger.audit(of: writer, from: 1, limit: 10), nil, "a page of the writer \"\(writer)\"")
                try same(await it.ledger.auditClaims(of: 1, by: writer), nil, "claims of the writer \"\(writer)\"")
            }
        },
        ContractCheck("A page of the audit log has at most AuditPage.limit rows") { it in
            _ = try await it.ledger.commit((0...AuditPage.limit).map { _ in .sample() })
            try same(await it.ledger.audit(from: 1, limit: .max).rows.count, AuditPage.limit, "rows")
        },
        ContractCheck("Changes made outside the ledger are chained with verdicts") { it in
            let change = AuditChange.configurationLoad(SecureRandom.bytes(32), version: "1", by: .start)
            try await it.ledger.record(change, at: LedgerUnderTest.changedAt)
            try same(await it.ledger.status().lastEntryAt, nil, "the time of the last verdict before the first")
            let entry = LedgerEntry.sample()
            try await it.expect(entry, .committed, "an entry behind a change")
            try await it.ledger.record(change, at: LedgerUnderTest.changedAt)
            let chain = AuditChain().appending(change.bytes, at: LedgerUnderTest.changedAt).appending(
                entry.audit.bytes, at: entry.time
            )
            .appending(change.bytes, at: LedgerUnderTest.changedAt)
            let status = try await it.ledger.status()
            try same(status.auditEnd, chain, "the end of the chain")
            try same(status.lastEntryAt, entry.time, "the time of the last verdict")
            try same(status.auditStart, AuditChain(), "the start of the chain")
        },
        ContractCheck("The claims of an entry are kept beside its audit record") { it in
            let device = try await it.register(.sample())
            let claims = AuditClaims(salt: [1], claims: [2, 3])
            try await it.expect(.sample(about: device.id, claims: claims), .committed, "an entry with claims")
            try same(await it.ledger.auditClaims(of: 1), nil, "claims of the registration, which brought none")
            try same(await it.ledger.auditClaims(of: 2), claims, "the claims")
            try same(await it.ledger.auditClaims(of: 3), nil, "claims of no record")
        },
        ContractCheck("The claims of a refused entry are not kept") { it in
            let spend = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spend]), .committed, "the token's first use")
            let entry = LedgerEntry.sample(spends: [spend], claims: AuditClaims(salt: [1], claims: [2]))
            try await it.expect(entry, .refused(.challengeReused), "its second")
            try same(await it.ledger.auditClaims(of: 2), nil, "claims")
        },
        ContractCheck("The claims of one device are deleted and the chain stays whole") { it in
            let (one, other) = (try await it.register(.sample()), try await it.register(.sample()))
            let claims = AuditClaims(salt: [1], claims: [2])
            for device in [one, other, one] {
                try await it.expect(.sample(about: device.id, claims: claims), .committed, "an entry with claims")
            }
            let before = try await it.ledger.audit(from: 1, limit: 10)
            if let foreign = AppID("another") {
                try same(await it.ledger.forgetAuditClaims(of: one.id, app: foreign), 0, "claims forgotten for another app")
            }
            try same(await it.ledger.forgetAuditClaims(of: one.id, app: one.app), 2, "claims forgotten")
            try same(await it.ledger.forgetAuditClaims(of: one.id, app: one.app), 0, "claims forgotten the second time")
            for (number, kept) in [(3, nil), (4, claims), (5, nil)] as [(Int64, AuditClaims?)] {
                try same(await it.ledger.auditClaims(of: number), kept, "claims of record \(number)")
            }
            let rows = try await it.ledger.audit(from: 1, limit: before.rows.count).rows
            try same(rows, before.rows, "the records that were there")
        },
        ContractCheck("A deletion of claims is recorded unless there were none") { it in
            let device = try await it.register(.sample())
            let claims = AuditClaims(salt: [1], claims: [2])
            for _ in 0..<3 {
                try await it.expect(.sample(about: device.id, claims: claims), .committed, "an entry with claims")
            }
            let start = try await it.ledger.status().auditCount
            for _ in 0..<2 {
                _ = try await it.ledger.forgetAuditClaims(of: device.id, app: device.app, LedgerUnderTest.asked(""))
            }
            try await it.expectChanges(
                [.forgetClaims(of: device.id, app: device.app, count: 3, LedgerUnderTest.asked(""))], after: start)
        },
    ]
}
