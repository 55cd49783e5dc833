import AssayCore
import AssayLedger
import AssayTesting
import Foundation
import Testing

@testable import AssayPostgres

/// A ledger in memory that is copied from: rows by table.
private struct Rows: TransferSource {
    var tables: [String: [CopiedRow]]

    func forEach(in table: CopiedTable, _ body: (CopiedRow) throws(LedgerError) -> Void) throws(LedgerError) {
        for row in tables[table.name]?.sorted(by: table.isBefore) ?? [] { try body(row) }
    }
}

@Suite("Copies into PostgreSQL", .needsServer, .timeLimit(.minutes(5)))
struct TransferTests {
    /// More than a page of tokens, with expiries in several periods and before 1970.
    private static func sample() -> Rows {
        let tokens = (0..<4500).map { number -> CopiedRow in
            [.integer(Int64(number % 7) * 700_000 - 1_000_000), .bytes(SecureRandom.bytes(16))]
        }
        let used = (0..<50).map { _ -> CopiedRow in [.bytes(SecureRandom.bytes(32)), .integer(5)] }
        return Rows(tables: [
            "meta": [[.text("spent_horizon"), .integer(-5)], [.text("declared_new"), .integer(1)]], "spent": tokens,
            "used": used,
            "subjects": [
                [.bytes([1]), .text("é"), .integer(0), .flag(true)], [.bytes([]), .text("a"), .integer(3), .flag(false)],
            ],
            "secrets": [[.text("challenge"), .integer(4), .bytes([1, 2]), .integer(9)]],
            "enrolments": [
                [
                    .integer(12), .text("a"), .integer(1), .bytes([1]), .text("f"), .integer(1), .null, .null,
                    .bytes([9]),
                ]
            ],
        ])
    }

    @Test("A copy is equal, what was changed since is made equal, and nothing else is written")
    func convergence() throws {
        let settings = try server().schema()
        var source = Self.sample()
        let total = Int64(source.tables.values.reduce(0) { $0 + $1.count })
        do {
            let target = try PostgresTransferTarget(settings, writer: "old")
            let first = LedgerTransfer(from: source, to: target)
            #expect(throws: LedgerError.self) { _ = try first.verify() }
            // The horizon of the empty ledger is replaced.
            let changes = try first.run()
            #expect(changes.added == total && changes.removed == 1)
            #expect(try first.verify().reduce(0) { $0 + $1.rows } == total)
            #expect(throws: LedgerError.self, "one copy at a time") { _ = try PostgresTransferTarget(settings, writer: "old") }
        }
        // A copy that was killed goes on: with rows that are gone, changed and new.
        source.tables["spent"]?.removeFirst(10)
        source.tables["used"]?[7][1] = .integer(6)
        source.tables["secrets"]?.append([.text("challenge"), .integer(5), .bytes([3]), .integer(10)])
        let target = try PostgresTransferTarget(settings, writer: "old")
        let second = LedgerTransfer(from: source, to: target)
        let changes = try second.run()
        #expect(changes.removed == 11 && changes.added == 2)
        _ = try second.verify()
        // A difference of one value is found.
        _ = try settings.text("UPDATE used SET expiry = 8 WHERE expiry = 6 RETURNING ''")
        #expect(throws: LedgerError.self) { _ = try second.verify() }
        #expect(try second.run().removed == 1)

        #expect(throws: LedgerError.self, "no daemon opens it") { _ = try PostgresLedger.open(settings) }
        try target.finish(
            start: AuditChain(), end: AuditChain(), lastEntry: nil, devices: 0, highestNumbers: ["enrolments": 40])
        #expect(try settings.text("SELECT nextval(pg_get_serial_sequence('enrolments', 'number'))::text") == "41")
        try PostgresLedger.open(settings).close()
        #expect(throws: LedgerError.self, "it was used") { _ = try PostgresTransferTarget(settings, writer: "old") }
    }
}
