import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import AssayPostgres

/// What `check-config` finds at a database is what a start fails of.
@Suite("Inspection of a database", .needsServer, .serialized)
struct InspectionTests {
    private func obstacle(_ settings: PostgresSettings, _ instance: String? = nil) -> String? {
        PostgresBackend(settings, holder: instance.map { LedgerHolder(instance: $0, name: "process \($0) on db1") }).inspect()
            .obstacle
    }

    /// Both the inspection and a start say that it cannot be used, and why.
    private func expectRefusal(
        _ settings: PostgresSettings, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = obstacle(settings)
        #expect(found?.contains(words) == true, "\(found ?? "nothing")", sourceLocation: sourceLocation)
        let error = #expect(throws: LedgerError.self, sourceLocation: sourceLocation) {
            try PostgresLedger.open(settings).close()
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains(words), sourceLocation: sourceLocation)
    }

    @Test("An empty database and a ledger are as they should be, and an inspection makes no ledger and leaves it as it was")
    func good() async throws {
        let settings = try server().database()
        let empty = PostgresBackend(settings).inspect()
        #expect(empty.obstacle == nil && empty.secrets == [] && !empty.isDeclaredNew)
        #expect(!PostgresBackend(settings).exists)
        let ledger = try PostgresLedger.open(settings)
        try await ledger.declareNew()
        let secret = WrappedSecret(
            name: "a", number: 3, wrapped: [1, 2, 3], createdAt: Timestamp(unixMilliseconds: 1_800_000_000_000))
        _ = try await ledger.add(secret)
        ledger.close()
        let state = "SELECT string_agg(name || commits || held_until, ',') FROM writers"
        let before = try settings.text(state)
        let found = PostgresBackend(settings).inspect()
        #expect(found.obstacle == nil && found.secrets == [secret] && found.isDeclaredNew)
        #expect(try settings.text(state) == before)
    }

    @Test("What a role may not do is named, with the right that it lacks")
    func rights() throws {
        let settings = try server().database()
        var other = settings
        other.user = settings.database + "_role"
        let admin = try server().psql(settings.database)
        func run(_ sql: String) throws { _ = try admin.query(.once(sql), within: 10_000) }
        try run("CREATE ROLE \(other.user) LOGIN")
        expectRefusal(other, "may not make the schema \"assay\": grant it CREATE on the database, or make the schema for it")
        try run("CREATE SCHEMA assay")
        expectRefusal(other, "may not use the schema \"assay\" and make tables in it: grant it USAGE and CREATE on the schema")
        try run("GRANT USAGE ON SCHEMA assay TO \(other.user)")
        expectRefusal(other, "grant it USAGE and CREATE on the schema")
        try run("GRANT CREATE ON SCHEMA assay TO \(other.user)")
        #expect(obstacle(other) == nil)
        try PostgresLedger.open(settings).close()
        try run("GRANT ALL ON ALL TABLES IN SCHEMA assay TO \(other.user)")
        expectRefusal(
            other,
            "the role \"\(other.user)\" does not own the table \"audit\", whose owner is \"owner\": make it the owner of the schema's tables"
        )
        try run("GRANT owner TO \(other.user)")
        try PostgresLedger.open(other).close()
        #expect(obstacle(other) == nil)
    }

    @Test("Tables of something else in the schema are named, and stay as they are")
    func otherTables() throws {
        let settings = try server().database()
        let admin = try server().psql(settings.database)
        for sql in ["CREATE SCHEMA assay", "CREATE TABLE assay.devices (name text)"] {
            _ = try admin.query(.once(sql), within: 10_000)
        }
        let error = #expect(throws: LedgerError.self) { try PostgresLedger.open(settings).close() }
        let words = "\(error.map { "\($0)" } ?? "")"
        #expect(
            words.contains("the schema \"assay\" has tables that are not of a ledger: relation \"devices\" already exists"),
            "\(words)")
        #expect(try settings.text("SELECT count(*)::text FROM devices") == "0")
    }

    @Test("An unfinished copy, and a name that another process has, are obstacles")
    func occupied() throws {
        let settings = try server().database()
        try PostgresLedger.open(settings).close()
        let hold = """
            UPDATE writers SET instance = '7', held_by = 'process 7 on db1', held_until = \(WriterLease.now) + 60000 RETURNING ''
            """
        _ = try settings.text(hold)
        #expect(obstacle(settings)?.contains("the writer \"one\" is in use by process 7 on db1") == true)
        #expect(obstacle(settings, "8")?.contains("the writer \"one\" is in use by process 7 on db1") == true)
        #expect(obstacle(settings, "7") == nil, "the daemon of the same folder, as before a reload")
        #expect(obstacle(settings.writer("two")) == nil)
        _ = try settings.text("UPDATE writers SET held_until = 0 RETURNING ''")
        #expect(obstacle(settings) == nil)
        _ = try settings.text("INSERT INTO meta VALUES ('\(PostgresTransferTarget.mark)', 1) RETURNING ''")
        expectRefusal(settings, "the database holds an unfinished copy of another ledger: finish it with assayd store copy")
    }

    @Test("A standby that confirms nothing is an obstacle, and the server's process does not wait on", .timeLimit(.minutes(30)))
    func standby() async throws {
        let own = try TestServer.ownServer()
        defer { own.remove() }
        var settings = try own.database()
        settings.commitTimeout = 3000
        #expect(obstacle(settings) == nil)
        try own.set("synchronous_standby_names", to: "absent")
        let words = obstacle(settings)
        #expect(
            words?.contains("no standby confirms commits: synchronous_standby_names is \"absent\"") == true,
            "\(words ?? "nothing")")
        try await eventually("the process ends its wait") {
            try settings.text("SELECT count(*)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "0"
        }
    }
}
