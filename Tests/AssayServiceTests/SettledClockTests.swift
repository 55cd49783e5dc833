import AssayCore
import AssayService
import AssayTesting
import Synchronization
import Testing

@Suite("Settled clock")
struct SettledClockTests {
    private let wall = FixedClock(ServiceHarness.opening)
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
        #expect(settled.now() == ServiceHarness.opening)
        pass(hour)
        #expect(settled.now() == ServiceHarness.opening.adding(milliseconds: hour))
        wall.advance(milliseconds: -1000 * hour)
        #expect(settled.now() == wall.now())
        // Another leap has to last its own time.
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

    @Test("follows no leap sooner because the daemon was started again in it")
    func restart() {
        wall.advance(milliseconds: 1000 * hour)
        // The leap came while nothing ran.
        var memory: ClockMemory? = ClockMemory(believed: ServiceHarness.opening, uptime: 0)
        for minute: Int64 in 0..<65 {
            let settled = SettledClock(wall, memory: memory) { [up] in up.value }
            #expect(
                settled.now() == ServiceHarness.opening.adding(milliseconds: minute * 60_000) && settled.read().aheadFor != nil)
            memory = settled.memory
            pass(60_000)
        }
        let settled = SettledClock(wall, memory: memory) { [up] in up.value }
        #expect(settled.now() == wall.now() && settled.read().aheadFor == nil && settled.memory.aheadSince == nil)
    }

    @Test("follows the clock at once after the daemon was away, for as long as it may be, and the clock was right")
    func away() {
        let memory = settled().memory
        pass(1000 * hour)
        let settled = SettledClock(wall, memory: memory) { [up] in up.value }
        #expect(settled.now() == wall.now() && settled.read().aheadFor == nil)
    }

    @Test("waits after the machine was off, since nothing tells how long it was")
    func reboot() {
        pass(100 * hour)
        let memory = settled().memory
        // Off for a day.
        wall.advance(milliseconds: 24 * hour)
        up.set(30_000)
        let settled = SettledClock(wall, memory: memory) { [up] in up.value }
        #expect(settled.now() == memory.believed.adding(milliseconds: 30_000))
        pass(SettledClock.patience - 1)
        #expect(settled.read().aheadFor != nil)
        pass(1)
        #expect(settled.now() == wall.now())
    }

    @Test("counts on, after the machine was started again in a leap, no more than has passed")
    func rebootInLeap() {
        pass(10 * hour)
        let first = settled()
        wall.advance(milliseconds: 1000 * hour)
        _ = first.now()
        pass(40 * 60_000)
        let memory = first.memory
        up.set(60_000)
        let second = SettledClock(wall, memory: memory) { [up] in up.value }
        #expect(second.now() == ServiceHarness.opening.adding(milliseconds: 10 * hour + 40 * 60_000 + 60_000))
        pass(SettledClock.patience - 60_000 - 1)
        #expect(second.read().aheadFor != nil)
        pass(1)
        #expect(second.read().aheadFor == nil)
    }

    @Test("follows a clock at once that is behind what is remembered")
    func backAfterRestart() {
        let memory = ClockMemory(believed: wall.now().adding(milliseconds: 9000 * hour), uptime: 5000, aheadSince: 4000)
        let settled = SettledClock(wall, memory: memory) { [up] in up.value }
        #expect(settled.now() == wall.now() && settled.memory == ClockMemory(believed: wall.now(), uptime: 0))
    }

    @Test("withstands any memory that a file can hold")
    func anyMemory() {
        up.set(7)
        for value: Int64 in [.min, -1, 0, 1, .max] {
            for since: Int64? in [.min, -1, 0, .max, nil] {
                let memory = ClockMemory(believed: Timestamp(unixMilliseconds: value), uptime: value, aheadSince: since)
                let settled = SettledClock(wall, memory: memory) { [up] in up.value }
                #expect(settled.now() <= wall.now())
            }
        }
    }

    @Test("keeps the horizon where it was through a short leap, so that the service recovers at once")
    func recovery() async throws {
        let harness = try await ServiceHarness(clock: wall)
        let settled = settled()
        var (handset, _) = try await harness.enrol()
        pass(1000)
        let spent = try handset.assertion(try await harness.challenge(.assert))
        #expect(try await harness.verify(spent).isAccepted)
        // A year ahead for half an hour, with acceptances that expire there.
        wall.advance(milliseconds: 365 * 24 * hour)
        for _ in 0..<30 {
            #expect(try await harness.assert(&handset).isAccepted)
            pass(60_000)
            try await harness.ledger.purge(now: settled.now())
        }
        wall.advance(milliseconds: -365 * 24 * hour)
        try await harness.ledger.purge(now: settled.now())
        #expect(try await harness.assert(&handset).isAccepted, "it has recovered")
        #expect(try await harness.verify(spent).isAccepted == false)
        #expect(try await harness.ledger.status().spentHorizon < wall.now())
    }
}

/// How long the machine has been up.
final class Uptime: Sendable {
    private let state = Mutex<Int64>(0)
    var value: Int64 { state.withLock { $0 } }
    func pass(_ milliseconds: Int64) { state.withLock { $0 += milliseconds } }
    func set(_ milliseconds: Int64) { state.withLock { $0 = milliseconds } }
}
