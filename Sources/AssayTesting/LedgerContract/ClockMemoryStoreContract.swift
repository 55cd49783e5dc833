import AssayCore

/// The checks of `ClockMemoryStore`.
public enum ClockMemoryStoreContract {
    public static let checks: [ContractCheck] = [
        ContractCheck("The clock memory is the one that was kept last") { it in
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
