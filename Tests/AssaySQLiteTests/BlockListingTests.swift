import AssayCore
import AssayTesting
import Testing

@testable import AssaySQLite

@Suite("Block listing")
struct BlockListingTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test("A page of blocks is read by the primary key, without a sort", arguments: [">", ">=", "="])
    func plan(_ comparison: String) throws {
        try SQLiteLedger.open(path: directory.path()).close()
        let connection = try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
        let sql = "EXPLAIN QUERY PLAN " + BlockScan.selection(comparison)
        let plan = try SQLiteStatement(connection, sql).all { $0.text(3) }
        let bound = comparison == "=" ? "=" : ">"
        #expect(plan == ["SEARCH blocks USING PRIMARY KEY (app=? AND kind=? AND target\(bound)?)"])
    }

    @Test("A page of blocks is read while another process holds the write lock, and after a restart")
    func besideTheWriter() async throws {
        let app = try Sample.device().app
        let record = BlockRecord(.key(DeviceKey(app: app, keyID: [1])), reason: "stolen", since: Sample.now)
        let first = try SQLiteLedger.open(path: directory.path())
        _ = try await first.block(record.target, reason: record.reason, at: record.since)
        first.close()
        let second = try SQLiteLedger.open(path: directory.path())
        defer { second.close() }
        let other = try OtherConnection(directory.path())
        try other.execute("BEGIN IMMEDIATE")
        #expect(try await second.blocks(BlockListing(app: app, limit: 10)) == BlockPage(blocks: [record], next: nil))
        try other.execute("ROLLBACK")
    }

    @Test("A block whose target is not a device id is reported as damage")
    func damaged() async throws {
        let app = try Sample.device().app
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let other = try OtherConnection(directory.path())
        try other.execute("INSERT INTO blocks VALUES ('\(app.text)', 1, x'0102', 'r', 0)")
        let error = await #expect(throws: LedgerError.self) { try await ledger.blocks(BlockListing(app: app, limit: 10)) }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await ledger.blocks(BlockListing(app: app, .kind(.key), limit: 10)).blocks.isEmpty)
    }
}
