import AssayCore

extension LedgerContract {
    static let logQuestions = [
        Question("begins with an empty log") { it in
            let status = try await it.ledger.status()
            try same(status.auditCount, 0, "records")
            try same(status.auditHead, AuditChain().head, "the head")
            try same(status.lastEntryAt, nil, "the time of the last record")
        },
        Question("chains what it accepts, and only that") { it in
            let device = try await it.register(.sample())
            let start = try await it.ledger.status()
            var chain = AuditChain(number: start.auditCount, head: start.auditHead)
            try same(chain.number, 1, "records after one registration")
            let spend = LedgerEntry.Spend.fresh()
            for step in 1...10 as ClosedRange<Int64> {
                let time = LedgerUnderTest.now.adding(milliseconds: step)
                // The second is refused.
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
        Question("chains the entries of one call in order") { it in
            let entries = (0..<20).map { _ in LedgerEntry.sample() }
            _ = try await it.ledger.commit(entries)
            var chain = AuditChain()
            for entry in entries { chain.append(entry.audit.bytes, at: entry.time) }
            try same(await it.ledger.status().auditHead, chain.head, "the head of the chain")
        },
    ]
}
