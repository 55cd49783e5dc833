import AssayCore
import Testing

@testable import AssaySQLite

@Suite("The status of a ledger file")
struct LedgerStatusTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test("The time of the last verdict is that of the newest one, whatever changes follow it, until its record is dropped")
    func lastVerdict() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        func changes(_ count: Int) async throws {
            let change = AuditChange.configurationLoad([1], version: "1", by: .start)
            for _ in 0..<count { try await ledger.record(change, at: Sample.now) }
        }
        func time() async throws -> Timestamp? { try await ledger.status().lastEntryAt }
        func verdict(after milliseconds: Int64) async throws -> Timestamp {
            let time = Sample.now.adding(milliseconds: milliseconds)
            #expect(try await ledger.commit([Sample.entry(time: time)]) == [.committed])
            return time
        }
        #expect(try await time() == nil)
        try await changes(3)
        #expect(try await time() == nil)
        let first = try await verdict(after: 1000)
        #expect(try await time() == first)
        try await changes(5)
        #expect(try await time() == first)
        #expect(try await time() == first, "nothing is new")
        let second = try await verdict(after: 2000)
        let third = try await verdict(after: 1500)
        #expect(try await time() == third && third < second)
        try await changes(2)
        _ = try await ledger.trim(
            to: Retention(auditFrom: .distantFuture, auditRows: 10_000, verdicts: 0, challenges: 0))
        let status = try await ledger.status()
        #expect(status.auditDropped == status.auditCount && status.lastEntryAt == nil)
        let last = try await verdict(after: 9000)
        #expect(try await time() == last)
    }

    @Test("The search for the last verdict begins behind the records that were looked at")
    func plan() throws {
        try SQLiteLedger.open(path: directory.path()).close()
        let connection = try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
        let steps = try SQLiteStatement(connection, "EXPLAIN QUERY PLAN " + LastVerdict.search).all { $0.text(3) }
        #expect(steps == ["SEARCH audit USING INTEGER PRIMARY KEY (rowid>?)"])
    }
}
