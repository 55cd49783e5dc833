import AssayCore

extension VerdictLedgerContract {
    static let counterChecks: [ContractCheck] = [
        ContractCheck("64 entries race for a counter value: exactly one is committed") { it in
            let device = try await it.register(.sample())
            let entries = (0..<racers).map { _ in LedgerEntry.advance(device.id, to: 7) }
            try await it.expectOneWinner(entries, others: .counterNotIncreasing)
            try same(await it.bothWays(device)?.counter, 7, "the counter")
        },
        ContractCheck("64 entries race for a counter value in the window: exactly one is committed") { it in
            let device = try await it.register(.sample(counter: 50))
            let entries = (0..<racers).map { _ in LedgerEntry.advance(device.id, to: 7, .window64) }
            try await it.expectOneWinner(entries, others: .counterNotIncreasing)
        },
        ContractCheck("64 entries race with 64 counter values of the window: all are committed") { it in
            let device = try await it.register(.sample())
            let outcomes = try await it.race((1...64).map { .advance(device.id, to: $0, .window64) })
            try same(outcomes.allSatisfy { $0 == .committed }, true, "all were accepted")
            let found = try await it.bothWays(device)
            try same(found?.counter, 64, "the counter")
            try same(found?.counterWindow, .max, "the window")
        },
        ContractCheck("Strict counters follow CounterState", follow(.strictlyIncreasing)),
        ContractCheck("Counters with a window follow CounterState", follow(.window64)),
        ContractCheck("A counter value below the window is too old, and a used one in it is refused") { it in
            let device = try await it.register(.sample(counter: 100))
            try await it.expect(.advance(device.id, to: 36, .window64), .refused(.counterTooOld), "64 below")
            try await it.expect(.advance(device.id, to: 37, .window64), .committed, "63 below")
            try await it.expect(.advance(device.id, to: 37, .window64), .refused(.counterNotIncreasing), "63 below again")
            try await it.expect(.advance(device.id, to: 100, .window64), .refused(.counterNotIncreasing), "the highest again")
            try await it.expect(.advance(device.id, to: 36), .refused(.counterNotIncreasing), "64 below, without a window")
        },
        ContractCheck("A counter ends at its highest value") { it in
            let device = try await it.register(.sample())
            try await it.expect(.advance(device.id, to: .max), .committed, "the last value")
            try await it.expect(.advance(device.id, to: .max), .refused(.counterNotIncreasing), "the last value again")
            try await it.expect(.advance(device.id, to: 0), .refused(.counterNotIncreasing), "zero")
            try await it.expect(.advance(device.id, to: .max - 63, .window64), .committed, "the far end of the window")
            let found = try await it.bothWays(device)
            try same(found?.counterWindow, 1 << 63 | 1, "the window")
        },
        ContractCheck("The advances of one entry are applied in order") { it in
            let device = try await it.register(.sample())
            let up = LedgerEntry.sample(advances: [
                .init(device: device.id, counter: 1, rule: .strictlyIncreasing),
                .init(device: device.id, counter: 2, rule: .strictlyIncreasing),
            ])
            try await it.expect(up, .committed, "1, 2")
            let down = LedgerEntry.sample(advances: [
                .init(device: device.id, counter: 4, rule: .strictlyIncreasing),
                .init(device: device.id, counter: 3, rule: .strictlyIncreasing),
            ])
            try await it.expect(down, .refused(.counterNotIncreasing), "4, 3")
            try same(await it.bothWays(device)?.counter, 2, "the counter")
        },
    ]

    /// Moves a counter up and down and compares each step with `CounterState`.
    private static func follow(_ rule: CounterRule) -> @Sendable (LedgerUnderTest) async throws -> Void {
        { it in
            let device = try await it.register(.sample())
            var state = CounterState(counter: device.counter, window: device.counterWindow)
            let steps: [Int64] = [
                1, 1, -1, 2, -1, -1, 5, -5, 62, -62, -63, 63, -63, 64, -63, -64, 65, -1, 200, -199, 31, -31, 0,
            ]
            for step in steps {
                let value = UInt32(clamping: Int64(state.counter) + step)
                var expected = CommitOutcome.committed
                do throws(Rejection) {
                    state = try state.advanced(to: value, rule: rule)
                } catch {
                    if let code = error.code.builtIn { expected = .refused(code) }
                }
                try await it.expect(.advance(device.id, to: value, rule), expected, "counter \(value) after \(state.counter)")
                let found = try await it.bothWays(device)
                try same(found?.counter, state.counter, "the counter after \(value)")
                try same(found?.counterWindow, state.window, "the window after \(value)")
            }
        }
    }
}
