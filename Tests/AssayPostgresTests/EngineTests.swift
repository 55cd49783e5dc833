import AssayCore
import AssayLedger
import AssayTesting
import Testing

@testable import AssayPostgres

@Suite("Databases that speak PostgreSQL's protocol")
struct EngineTests {
    @Test("The engine is known by what the server says of its version")
    func recognised() {
        #expect(
            ServerEngine(version: "PostgreSQL 15.8 (Debian 15.8-1.pgdg120+1) on x86_64-pc-linux-gnu, compiled by gcc")
                == .postgresql)
        #expect(
            ServerEngine(version: "PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu, compiled by clang") == .yugabyteDB)
        #expect(ServerEngine(version: "PostgreSQL 15.2-YB-2.25.1.0-b381 on x86_64-pc-linux-gnu") == .yugabyteDB)
        #expect(ServerEngine(version: "CockroachDB CCL v24.1.2 (x86_64-pc-linux-gnu, built 2024/07/05)") == .cockroachDB)
        #expect(ServerEngine(version: "") == .postgresql)
    }

    @Test("Definitions lose what an engine lacks, their keys spread, and PostgreSQL's stay as they were released")
    func adapted() {
        let statements = Schema.foundation + Schema.migrations.flatMap(\.statements)
        #expect(ServerEngine.postgresql.adapted(statements) == statements)
        #expect(statements.contains { $0.contains("PARTITION") } && statements.contains { $0.contains("fillfactor") })
        for engine in [ServerEngine.yugabyteDB, .cockroachDB] {
            let adapted = engine.adapted(statements)
            // An index of what has expired, and for keys that are spread by their hash one of a list's places; on CockroachDB
            // that of flagged devices is left out.
            #expect(adapted.count == statements.count + (engine == .yugabyteDB ? 2 : 0))
            for statement in adapted {
                #expect(!statement.contains("PARTITION") && !statement.contains("fillfactor"))
                #expect(!statement.contains("(expiry, token)"))
                #expect(statement.count { $0 == "(" } == statement.count { $0 == ")" })
                #expect(engine == .yugabyteDB || !statement.contains("COLLATE"))
            }
            for change in engine.changes {
                #expect(statements.contains { $0.contains(change.text) }, "\(change.text) is in no definition")
            }
        }
    }

    @Test("Challenges in one table are deleted when they have expired, and their horizon follows", .needsServer)
    func purge() async throws {
        var settings = try server().schema()
        settings.engine = .yugabyteDB
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        let now = SystemClock().now()
        let early = Sample.spend(expiry: now.adding(milliseconds: -3_600_000))
        let late = Sample.spend(expiry: now.adding(milliseconds: 3_600_000))
        #expect(
            try await ledger.commit([try Sample.entry(spends: [early]), try Sample.entry(spends: [late])]) == [
                .committed, .committed,
            ])
        #expect(try settings.text("SELECT count(*)::text FROM spent") == "2")
        #expect(try settings.text("SELECT count(*)::text FROM pg_inherits WHERE inhparent = 'spent'::regclass") == "0")
        try await ledger.purge(now: now)
        #expect(try settings.text("SELECT count(*)::text FROM spent") == "1")
        #expect(try await ledger.status().spentHorizon == early.expiry)
        #expect(try await ledger.commit([try Sample.entry(spends: [late])]) != [.committed])
    }
}
