import AssayCore
import AssayLedger
import AssayTesting
import Foundation
import Testing

@testable import AssayPostgres

@Suite(
    "PgBouncer before the server", .needsServer, .serialized,
    .enabled(if: Pooler.isInstalled, "pgbouncer is absent: install it (make setup-tests)"))
struct PoolerTests {
    @Test("A ledger behind a pooler of sessions keeps what it commits, and hears of changes by others")
    func sessions() async throws {
        let settings = try server().database()
        let pooler = try Pooler(of: settings, mode: "session")
        defer { pooler.end() }
        #expect(PostgresBackend(pooler.settings).inspect().obstacle == nil)
        let device = try Sample.device()
        let (one, two) = (
            try PostgresLedger.open(pooler.settings), try PostgresLedger.open(pooler.settings.writer("two"))
        )
        defer { for ledger in [one, two] { ledger.close() } }
        let spend = Sample.spend()
        #expect(try await one.commit([try Sample.entry(spends: [spend], registrations: [device])]) == [.committed])
        #expect(try await two.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
        try await eventually("both listen") { one.isListening && two.isListening }
        #expect(try await two.device(device.key)?.blocks.isEmpty == true)
        _ = try await one.block(.device(device.id), .test())
        try await eventually("the block is seen") { try await two.device(device.key)?.blocks.isEmpty == false }
        one.close()
        let again = try PostgresLedger.open(pooler.settings)
        defer { again.close() }
        #expect(try await again.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
    }

    @Test("A pooler that allows no transactions is refused, and the refusal says so")
    func statements() throws {
        let settings = try server().database()
        let pooler = try Pooler(of: settings, mode: "statement")
        defer { pooler.end() }
        let words = "through a pooler that pools sessions, not statements"
        #expect(PostgresBackend(pooler.settings).inspect().obstacle?.contains(words) == true)
        let error = #expect(throws: LedgerError.self) { try PostgresLedger.open(pooler.settings) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(words))
        #expect(!PostgresBackend(settings).exists)
    }

    @Test(
        "A pooler that is started again in another mode under a running ledger is noticed by the next commits, which are refused"
    )
    func changedMode() async throws {
        let settings = try server().database()
        let pooler = try Pooler(of: settings, mode: "session", inTurn: true)
        defer { pooler.end() }
        let ledger = try PostgresLedger.open(pooler.settings)
        defer { ledger.close() }
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        // It is started again with the other mode, as by an operator who has changed its settings.
        try pooler.use(mode: "transaction")
        let (one, two) = (try PostgresConnection(pooler.settings), try PostgresConnection(pooler.settings))
        var refusals: [String] = []
        try await eventually("a commit is refused") {
            // Two processes of the server, which the pooler gives in turn.
            _ = try one.run(["BEGIN", "SELECT 1"].map { .once($0) }, within: 10_000)
            _ = try two.query(.once("SELECT 1"), within: 10_000)
            one.rollBack(within: 10_000)
            let entry = try Sample.entry()
            do throws(LedgerError) {
                _ = try await ledger.commit([entry])
            } catch {
                // The connection of before ended with the pooler.
                if !"\(error)".contains("no connection") { refusals.append("\(error)") }
            }
            return !refusals.isEmpty
        }
        // Where the pooler gives the process of before to the question for it, what was refused tells: the other one has no tables in sight.
        let words = try #require(refusals.first)
        #expect(
            words.contains("a connection changes between processes of the server") || words.contains("does not exist"),
            "\(words)")
        try pooler.use(mode: "session")
        try await eventually("it commits again") { (try? await ledger.commit([try Sample.entry()])) == [.committed] }
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
    }

    @Test("A pooler that gives each transaction another connection of the server is refused", arguments: [false, true])
    func transactions(inTurn: Bool) throws {
        let settings = try server().database()
        let pooler = try Pooler(of: settings, mode: "transaction", inTurn: inTurn)
        defer { pooler.end() }
        #expect(PostgresBackend(pooler.settings).inspect().obstacle?.contains("pools sessions, not transactions") == true)
        #expect(throws: LedgerError.self) { try PostgresLedger.open(pooler.settings) }
        #expect(!PostgresBackend(settings).exists)
    }
}
