import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Testing

@Suite("Watch over the clock")
struct ClockWatchTests {
    private let wall = FixedClock(ServiceHarness.opening)
    private let up = Uptime()
    private let book = LogBook()
    private let minute: Int64 = 60_000
    private let year: Int64 = 365 * 24 * 3_600_000

    private func pass(_ milliseconds: Int64) {
        wall.advance(milliseconds: milliseconds)
        up.pass(milliseconds)
    }

    /// What a start makes of what the ledger knows.
    private func start(_ ledger: any Ledger, _ horizon: SpentHorizon = SpentHorizon()) async throws -> (
        SettledClock, ClockWatch
    ) {
        let memory = try await ledger.clockMemory()
        let settled = SettledClock(wall, memory: memory) { [up] in up.value }
        return (settled, ClockWatch(ledger: ledger, clock: settled, horizon: horizon, memory: memory, logger: book.logger))
    }

    @Test("keeps what it knows at once, when something changes, every hour and at the end, and not each minute")
    func kept() async throws {
        let ledger = MemoryLedger()
        let (_, watch) = try await start(ledger)
        try await watch.perform()
        let first = ClockMemory(believed: ServiceHarness.opening, uptime: 0)
        #expect(try await ledger.clockMemory() == first)
        for _ in 0..<59 {
            pass(minute)
            try await watch.perform()
            #expect(try await ledger.clockMemory() == first)
        }
        pass(minute)
        try await watch.perform()
        #expect(try await ledger.clockMemory()?.uptime == 60 * minute)
        wall.advance(milliseconds: year)
        pass(minute)
        try await watch.perform()
        let ahead = try await ledger.clockMemory()
        #expect(
            ahead
                == ClockMemory(
                    believed: ServiceHarness.opening.adding(milliseconds: 61 * minute), uptime: 61 * minute,
                    aheadSince: 61 * minute))
        wall.advance(milliseconds: -year)
        try await watch.perform()
        #expect(try await ledger.clockMemory() == ClockMemory(believed: wall.now(), uptime: 61 * minute))
        pass(minute)
        try await watch.conclude()
        #expect(try await ledger.clockMemory()?.uptime == 62 * minute)
    }

    @Test("a leap of a year with restarts in it leads to no refusals once the clock is right again")
    func leapWithRestarts() async throws {
        let harness = try await ServiceHarness(clock: wall)
        var (handset, _) = try await harness.enrol()
        let (settled, watch) = try await start(harness.ledger)
        try await watch.perform()
        try await harness.ledger.purge(now: settled.now())
        wall.advance(milliseconds: year)
        // Every ten minutes the daemon is started anew, and accepts what expires in a year.
        for _ in 0..<6 {
            let (settled, watch) = try await start(harness.ledger)
            for _ in 0..<10 {
                #expect(try await harness.assert(&handset).isAccepted)
                try await harness.ledger.purge(now: settled.now())
                try await watch.perform()
                pass(minute)
            }
        }
        wall.advance(milliseconds: -year)
        let (right, last) = try await start(harness.ledger, harness.horizon)
        try await harness.ledger.purge(now: right.now())
        try await last.perform()
        #expect(try await harness.ledger.status().spentHorizon <= wall.now())
        #expect(try await harness.assert(&handset).isAccepted)
    }

    @Test("a leap that lasts for 65 minutes is followed, also if daemon or machine was started again meanwhile")
    func lastingLeap() async throws {
        let ledger = MemoryLedger()
        let (_, watch) = try await start(ledger)
        try await watch.perform()
        wall.advance(milliseconds: year)
        for _ in 0..<5 {
            let (settled, watch) = try await start(ledger)
            try await watch.perform()
            #expect(settled.now() < wall.now())
            pass(13 * minute)
        }
        let (settled, _) = try await start(ledger)
        #expect(settled.now() == wall.now())
    }

    @Test(
        "a step of the clock is logged, in either direction, and time that passes is not",
        arguments: [-86_400_000, -2000, 2000, 86_400_000])
    func step(_ milliseconds: Int64) async throws {
        let (_, watch) = try await start(MemoryLedger())
        for _ in 0..<10 {
            try await watch.perform()
            pass(minute)
            wall.advance(milliseconds: 1000)
        }
        #expect(book.lines.isEmpty)
        wall.advance(milliseconds: milliseconds - 1000)
        try await watch.perform()
        let words = milliseconds < 0 ? "back" : "ahead"
        #expect(book.lines.first == "warning: the clock was set \(words) milliseconds=\(abs(milliseconds)) time=\(wall.now())")
        let step = try #require(watch.report.lastStep)
        #expect(step.at == wall.now() && step.milliseconds == Int64(milliseconds))
        pass(minute)
        try await watch.perform()
        #expect(book.lines.count { $0.contains("was set") } == 1)
    }

    @Test("a machine that slept is none: the wall clock and the time since it was started go on together")
    func suspended() async throws {
        let (settled, watch) = try await start(MemoryLedger())
        try await watch.perform()
        pass(1000 * minute)
        try await watch.perform()
        #expect(book.lines.isEmpty && settled.read().aheadFor == nil)
    }

    @Test("a clock that runs ahead is logged when that begins and when it ends")
    func ahead() async throws {
        let (_, watch) = try await start(MemoryLedger())
        try await watch.perform()
        wall.advance(milliseconds: year)
        for _ in 0..<3 { try await watch.perform() }
        #expect(book.lines.count { $0.hasPrefix("warning: the clock is ahead of the time") } == 1)
        #expect(book.lines.contains { $0.contains("followed_in_ms=\(SettledClock.patience)") })
        pass(SettledClock.patience)
        try await watch.perform()
        #expect(book.lines.last?.hasPrefix("notice: the clock is followed again") == true)
    }

    // MARK: The horizon

    @Test("a horizon that lies ahead keeps challenges from being issued, with its date, and is logged")
    func horizonAhead() async throws {
        let harness = try await ServiceHarness(clock: wall)
        var (handset, _) = try await harness.enrol()
        let (_, watch) = try await start(harness.ledger, harness.horizon)
        // As it was with a clock that ran ahead for long.
        wall.advance(milliseconds: year)
        #expect(try await harness.assert(&handset).isAccepted)
        wall.advance(milliseconds: 10 * minute)
        try await harness.ledger.purge(now: wall.now())
        wall.advance(milliseconds: -year)
        let horizon = try await harness.ledger.status().spentHorizon
        for _ in 0..<2 { try await watch.perform() }
        #expect(
            book.lines.count { $0.hasPrefix("error: the spent horizon lies ahead") && $0.contains("horizon=\(horizon)") } == 1)
        #expect(watch.report.horizonAhead == horizon)

        let refused = await #expect(throws: RPCError.self) { try await harness.challenge(.assert) }
        #expect(refused?.code == .unavailable && refused?.reason == "spent_horizon_ahead")
        #expect(refused?.message.contains("\(horizon)") == true && refused?.retryAfterMilliseconds == 3_600_000)

        wall.set(horizon.adding(milliseconds: 1))
        try await watch.perform()
        #expect(book.lines.last?.hasPrefix("notice: the spent horizon has passed") == true)
        #expect(try await harness.assert(&handset).isAccepted)
    }

    @Test("a challenge is issued if it expires above the horizon, and not if it does not")
    func aboveHorizon() async throws {
        let harness = try await ServiceHarness(clock: wall)
        harness.horizon.note(ServiceHarness.opening.adding(milliseconds: 120_000))
        #expect(try await harness.challenge(.assert).count == Challenge.length)
        #expect(try await harness.challenge(.assert, milliseconds: 120_001).count == Challenge.length)
        await #expect(throws: RPCError.self) { try await harness.challenge(.assert, milliseconds: 120_000) }
    }
}
