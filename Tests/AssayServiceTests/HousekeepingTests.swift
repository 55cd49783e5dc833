import AssayCore
import AssayService
import AssayTesting
import Testing

@Suite("Housekeeping")
struct HousekeepingTests {
    /// Runs the housekeeping until the ledger was asked a question so many times.
    private func run(_ house: House, until question: WatchedLedger.Question, times: Int = 1) async {
        let questions = house.ledger.questions()
        let housekeeping = Housekeeping(
            ledger: house.ledger, keys: house.keys, clock: SettledClock(house.clock), period: .milliseconds(1),
            logger: House.logger)
        let work = Task { await housekeeping.run() }
        var seen = 0
        for await asked in questions where asked == question {
            seen += 1
            if seen == times { break }
        }
        work.cancel()
        await work.value
    }

    @Test("forgets what has expired and raises the horizon")
    func purges() async throws {
        let house = try await House()
        _ = try await house.enrol()
        let expiry = House.opening.adding(milliseconds: 300_000)
        await run(house, until: .purge)
        #expect(try await house.ledger.status().spentHorizon == .distantPast)
        house.clock.set(expiry)
        await run(house, until: .purge)
        #expect(try await house.ledger.status().spentHorizon == expiry)
    }

    @Test("rotates keys when it is time")
    func rotates() async throws {
        let house = try await House()
        house.clock.advance(milliseconds: 24 * 3_600_000)
        await run(house, until: .add)
        #expect(try await house.ledger.secrets().count { $0.name == "challenge" } == 2)
    }

    @Test("tries again after a failure")
    func failure() async throws {
        let house = try await House()
        house.ledger.fail(.purge, with: .unavailable("test"))
        await run(house, until: .purge, times: 3)
        #expect(house.ledger.asked(.purge) >= 3)
    }

    @Test("rotates keys even while nothing can be purged")
    func rotatesInspite() async throws {
        let house = try await House()
        house.clock.advance(milliseconds: 24 * 3_600_000)
        house.ledger.fail(.purge, with: .unavailable("test"))
        await run(house, until: .purge, times: 3)
        #expect(try await house.ledger.secrets().count { $0.name == "challenge" } == 2)
    }

    @Test("ends when it is cancelled")
    func ends() async throws {
        let house = try await House()
        let housekeeping = Housekeeping(
            ledger: house.ledger, keys: house.keys, clock: SettledClock(house.clock), period: .seconds(3600),
            logger: House.logger)
        let questions = house.ledger.questions()
        let work = Task { await housekeeping.run() }
        for await asked in questions where asked == .purge { break }
        work.cancel()
        await work.value
    }
}
