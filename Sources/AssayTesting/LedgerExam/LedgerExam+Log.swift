import AssayCore

extension LedgerExam {
    static let logQuestions = [
        Question("begins with an empty log") { it in
            let status = try await it.ledger.status()
            try same(status.auditCount, 0, "records")
            try same(status.auditHead, AuditRecord.emptyHead, "the head")
            try same(status.lastEntryAt, nil, "the time of the last record")
        },
        Question("chains what it accepts, and only that") { it in
            let device = try await it.register(.sample())
            let start = try await it.ledger.status()
            var (head, number) = (start.auditHead, start.auditCount)
            try same(number, 1, "records after one registration")
            let spend = LedgerEntry.Spend.fresh()
            for step in 1...10 as ClosedRange<Int64> {
                let time = Examinee.now.adding(milliseconds: step)
                // The second is refused.
                let pair = [
                    LedgerEntry.advance(device.id, to: UInt32(step), time: time),
                    LedgerEntry.advance(device.id, to: UInt32(step), time: time, spends: [spend]),
                ]
                try same(await it.ledger.commit(pair), [.committed, .refused(.counterNotIncreasing)], "step \(step)")
                number += 1
                head = pair[0].audit.head(after: head, number: number, time: time)
                let status = try await it.ledger.status()
                try same(status.auditCount, number, "records")
                try same(status.auditHead, head, "the head of the chain after record \(number)")
                try same(status.lastEntryAt, time, "the time of the last record")
            }
        },
        Question("chains the entries of one call in order") { it in
            let entries = (0..<20).map { _ in LedgerEntry.sample() }
            _ = try await it.ledger.commit(entries)
            var head = AuditRecord.emptyHead
            for (index, entry) in entries.enumerated() {
                head = entry.audit.head(after: head, number: Int64(index + 1), time: entry.time)
            }
            try same(await it.ledger.status().auditHead, head, "the head of the chain")
        },
    ]
}
