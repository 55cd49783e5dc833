import AssayCore
import AssayService
import AssayTesting
import Synchronization
import Testing

@Suite("Settled clock")
struct SettledClockTests {
    private let wall = FixedClock(House.opening)
    private let up = Uptime()
    private let hour: Int64 = 3_600_000

    private func settled() -> SettledClock { SettledClock(wall) { [up] in up.value } }

    private func pass(_ milliseconds: Int64) {
        wall.advance(milliseconds: milliseconds)
        up.pass(milliseconds)
    }

    @Test("is the wall clock while that goes as time passes, a little faster too")
    func ordinary() {
        let settled = settled()
        for _ in 0..<100 {
            pass(60_000)
            wall.advance(milliseconds: 500)
            #expect(settled.now() == wall.now())
        }
    }

    @Test("follows a step back at once")
    func back() {
        let settled = settled()
        wall.advance(milliseconds: -1000 * hour)
        #expect(settled.now() == wall.now())
        pass(1000)
        #expect(settled.now() == wall.now())
    }

    @Test("goes on as time passes while the wall clock runs ahead, and forgets the leap when that comes back")
    func leap() {
        let settled = settled()
        wall.advance(milliseconds: 1000 * hour)
        #expect(settled.now() == House.opening)
        pass(hour)
        #expect(settled.now() == House.opening.adding(milliseconds: hour))
        wall.advance(milliseconds: -1000 * hour)
        #expect(settled.now() == wall.now())
        // Another leap has to last anew.
        wall.advance(milliseconds: hour)
        pass(hour)
        #expect(settled.now() == wall.now().adding(milliseconds: -hour))
    }

    @Test("follows a leap that lasts")
    func lasting() {
        let settled = settled()
        wall.advance(milliseconds: 1000 * hour)
        _ = settled.now()
        pass(SettledClock.patience - 1)
        #expect(settled.now() < wall.now())
        pass(1)
        #expect(settled.now() == wall.now())
    }

    @Test("keeps the horizon where it was through a short leap, so that the house recovers at once")
    func recovery() async throws {
        let house = try await House(clock: wall)
        let settled = settled()
        var (handset, _) = try await house.enrol()
        pass(1000)
        let spent = try handset.assertion(try await house.challenge(.assert))
        #expect(try await house.verify(spent).isAccepted)
        // A year ahead for half an hour, with acceptances that expire there.
        wall.advance(milliseconds: 365 * 24 * hour)
        for _ in 0..<30 {
            #expect(try await house.assert(&handset).isAccepted)
            pass(60_000)
            try await house.ledger.purge(now: settled.now())
        }
        wall.advance(milliseconds: -365 * 24 * hour)
        try await house.ledger.purge(now: settled.now())
        #expect(try await house.assert(&handset).isAccepted, "it has recovered")
        #expect(try await house.verify(spent).isAccepted == false)
        #expect(try await house.ledger.status().spentHorizon < wall.now())
    }
}

private final class Uptime: Sendable {
    private let state = Mutex(Duration.zero)
    var value: Duration { state.withLock { $0 } }
    func pass(_ milliseconds: Int64) { state.withLock { $0 += .milliseconds(milliseconds) } }
}
