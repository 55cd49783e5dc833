import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import AssaySQLite

/// The ledgers of all earlier versions of the schema, made from the migrations: a ledger of today is taken back to an earlier version with the
/// columns that this had. `Ledgers/` has files that earlier releases really wrote.
@Suite("Ledgers of earlier schemas")
struct PreviousSchemaTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func tables(of connection: OtherConnection) throws -> [String] {
        try connection.text(
            "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name)"
        ).split(separator: ",").map(String.init)
    }

    private func columns(of table: String, _ connection: OtherConnection) throws -> [String] {
        try connection.text("SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('\(table)')").split(
            separator: ","
        )
        .map(String.init)
    }

    /// Writes the ledger at `path` a second time, with the schema of an earlier version.
    private func takeBack(_ path: String, to version: Int, as earlier: String) throws {
        try LedgerFile.make(earlier)
        let made = try SQLiteConnection.ledger(at: earlier, LedgerOptions())
        try made.settleFile()
        try Schema.migrate(made, Array(Schema.migrations.prefix(version)))
        let connection = try OtherConnection(earlier)
        try connection.execute("PRAGMA foreign_keys=OFF; ATTACH '\(path)' AS today")
        // Tables of spent tokens come and go; every version has them in one form.
        let today = try OtherConnection(path)
        let known = Set(try tables(of: connection))
        for table in try tables(of: today) where !known.contains(table) && table.hasPrefix("spent") {
            try connection.execute(try today.text("SELECT sql FROM sqlite_schema WHERE name = '\(table)'"))
        }
        for table in try tables(of: connection) {
            let now = Set(try columns(of: table, today))
            let common = try columns(of: table, connection).filter { now.contains($0) }.joined(separator: ", ")
            try connection.execute(
                "DELETE FROM main.\(table); INSERT INTO main.\(table) (\(common)) SELECT \(common) FROM today.\(table)")
        }
    }

    /// Every value of the columns that a table has had since an earlier version.
    private func content(_ columns: [String: [String]], of path: String) throws -> [String: String] {
        let connection = try OtherConnection(path)
        var content: [String: String] = [:]
        for (table, columns) in columns {
            let row = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
            content[table] = try connection.text(
                "SELECT group_concat(line, ';') FROM (SELECT \(row) AS line FROM \(table) ORDER BY 1)")
        }
        return content
    }

    @Test(
        "A ledger of every earlier schema opens, loses no value, and goes on where it ended",
        arguments: 1..<Schema.migrations.count)
    func opens(_ version: Int) async throws {
        let (path, earlier) = (directory.path(), directory.path("earlier.db"))
        let ledger = try SQLiteLedger.open(path: path)
        let devices = try [Sample.device(), Sample.device()]
        try #require(try await ledger.commit([Sample.entry(registrations: devices)]) == [.committed])
        let spent = Sample.spend()
        try #require(
            try await ledger.commit([Sample.entry(spends: [spent], advances: [Sample.advance(devices[0], to: 7)])]) == [
                .committed
            ])
        _ = try await ledger.add(WrappedSecret(name: "subject", number: 0, wrapped: [4, 5], createdAt: Sample.now))
        _ = try await ledger.block(.device(devices[1].id), ChangeContext(.caller("operator"), at: Sample.now, reason: "stolen"))
        let end = try await ledger.status().auditEnd
        ledger.close()
        try takeBack(path, to: version, as: earlier)

        let before = try OtherConnection(earlier)
        #expect(try before.text("PRAGMA user_version") == "\(version)")
        let tables = try tables(of: before)
        let columns = try Dictionary(uniqueKeysWithValues: tables.map { ($0, try self.columns(of: $0, before)) })
        let kept = try content(columns, of: earlier)
        #expect(kept["devices"]?.isEmpty == false && kept["audit"]?.isEmpty == false && kept["blocks"]?.isEmpty == false)

        let opened = try SQLiteLedger.open(path: earlier)
        #expect(try content(columns, of: earlier) == kept)
        #expect(try OtherConnection(earlier).text("PRAGMA user_version") == "\(Schema.migrations.count)")
        #expect(try OtherConnection(earlier).text("SELECT count(*) FROM pragma_foreign_key_check") == "0")
        try await opened.checkAuditEnd()
        let status = try await opened.status()
        #expect(status.auditEnd == end && status.devices == 2)
        let first = try #require(try await opened.device(devices[0].id))
        #expect(first.counter == 7)
        let outcomes = try await opened.commit([
            Sample.entry(spends: [spent]), Sample.entry(advances: [Sample.advance(first, to: 7)]),
            Sample.entry(advances: [Sample.advance(devices[1], to: 1)]), Sample.entry(advances: [Sample.advance(first, to: 8)]),
        ])
        #expect(
            outcomes == [.refused(.challengeReused), .refused(.counterNotIncreasing), .refused(.deviceBlocked), .committed])
        #expect(try await opened.status().auditEnd.number == end.number + 1)
        opened.close()
    }

    @Test("A ledger of the version before is backed up without a migration, and migrated when it is restored")
    func backup() async throws {
        let (path, earlier, copy) = (directory.path(), directory.path("earlier.db"), directory.path("copy.db"))
        let ledger = try SQLiteLedger.open(path: path)
        try #require(try await ledger.commit([Sample.entry(registrations: [Sample.device()])]) == [.committed])
        ledger.close()
        let version = Schema.migrations.count - 1
        try takeBack(path, to: version, as: earlier)
        #expect(FileManager.default.createFile(atPath: copy, contents: nil))
        try LedgerCopy.make(of: earlier, .ledger, into: copy)
        let content = try LedgerCopy.inspect(copy)
        #expect(content.schema == Int64(version) && content.devices == 1 && content.auditEnd.number == 1)
        #expect(try OtherConnection(earlier).text("PRAGMA user_version") == "\(version)")
        let restored = directory.path("restored.db")
        _ = try await LedgerRestore.run(copy, into: restored, check: { _ in }) { _ in }
        #expect(try LedgerCopy.inspect(restored).schema == Int64(Schema.migrations.count))
    }
}
