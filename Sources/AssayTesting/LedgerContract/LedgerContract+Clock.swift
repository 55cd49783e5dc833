import AssayCore

extension LedgerContract {
    static let clockQuestions = [
        Question("keeps what is known of the clock, the last of it and nothing before that") { it in
            try same(await it.ledger.clockMemory(), nil, "what a new ledger knows")
            let ahead = ClockMemory(believed: LedgerUnderTest.now, uptime: 1000, aheadSince: 900)
            let later = ClockMemory(believed: LedgerUnderTest.expiry, uptime: .max)
            for memory in [ahead, later, ahead] {
                try await it.ledger.keep(memory)
                try same(await it.ledger.clockMemory(), memory, "what was kept last")
            }
        }
    ]
}
