import AssayCore
import AssayService
import AssayTesting
import Testing

@Suite("Maintenance service")
struct MaintenanceServiceTests {
    /// Runs the maintenance until the ledger was asked a question so many times.
    private func run(_ harness: ServiceHarness, until question: WatchedLedger.Question, times: Int = 1) async {
        let questions = harness.ledger.questions()
        let maintenance = MaintenanceService(
            ledger: harness.ledger, keys: harness.keys, clock: SettledClock(harness.clock), period: .milliseconds(1),
            logger: ServiceHarness.logger)
        let work = Task { await maintenance.run() }
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
        let harness = try await ServiceHarness()
        _ = try await harness.enrol()
        let expiry = ServiceHarness.opening.adding(milliseconds: 300_000)
        await run(harness, until: .purge)
        #expect(try await harness.ledger.status().spentHorizon == .distantPast)
        harness.clock.set(expiry)
        await run(harness, until: .purge)
        #expect(try await harness.ledger.status().spentHorizon == expiry)
    }

    @Test("rotates keys when it is time")
    func rotates() async throws {
        let harness = try await ServiceHarness()
        harness.clock.advance(milliseconds: 24 * 3_600_000)
        await run(harness, until: .add)
        #expect(try await harness.ledger.secrets().count { $0.name == "challenge" } == 2)
    }

    @Test("tries again after a failure")
    func failure() async throws {
        let harness = try await ServiceHarness()
        harness.ledger.fail(.purge, with: .unavailable("test"))
        await run(harness, until: .purge, times: 3)
        #expect(harness.ledger.asked(.purge) >= 3)
    }

    @Test("rotates keys even while nothing can be purged")
    func rotatesInspite() async throws {
        let harness = try await ServiceHarness()
        harness.clock.advance(milliseconds: 24 * 3_600_000)
        harness.ledger.fail(.purge, with: .unavailable("test"))
        await run(harness, until: .purge, times: 3)
        #expect(try await harness.ledger.secrets().count { $0.name == "challenge" } == 2)
    }

    @Test("ends when it is cancelled")
    func ends() async throws {
        let harness = try await ServiceHarness()
        let maintenance = MaintenanceService(
            ledger: harness.ledger, keys: harness.keys, clock: SettledClock(harness.clock), period: .seconds(3600),
            logger: ServiceHarness.logger)
        let questions = harness.ledger.questions()
        let work = Task { await maintenance.run() }
        for await asked in questions where asked == .purge { break }
        work.cancel()
        await work.value
    }
}
