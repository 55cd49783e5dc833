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

@Suite("Copies into PostgreSQL", .needsServer, .timeLimit(.minutes(30)))
struct TransferTests {
    private static let device = [UInt8](repeating: 0xDE, count: 16)

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
            "result_keys": [[.integer(3), .bytes([1]), .integer(1), .bytes([2]), .integer(5), .null]],
            "status_places": [[.integer(7), .bytes(device), .bytes([8]), .integer(9)]],
            "status_lists": [[.integer(0), .integer(4)]], "invalid_devices": [[.bytes(device)]],
            "payload_verdicts": [
                [.bytes([6]), .integer(2), .integer(11), .null, .integer(900), .bytes([5])],
                [.bytes([6]), .integer(2), .integer(12), .bytes(device), .integer(900), .bytes([])],
            ],
            "uploads": [
                [
                    .bytes(device), .text("a"), .text("handler"), .integer(65_537), .integer(65_536), .bytes([3]), .integer(1),
                    .integer(900), .null,
                ]
            ],
            "upload_chunks": [[.bytes(device), .integer(1), .bytes([4])]],
        ])
    }

    @Test("A copy is equal, what was changed since is made equal, and nothing else is written")
    func convergence() async throws {
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
            start: AuditChain(), end: AuditChain(), lastEntry: nil, devices: 0,
            highestNumbers: ["enrolments": 40, "result_keys": 3, "status_places": 20, "payload_verdicts": 12])
        #expect(try settings.text("SELECT nextval(pg_get_serial_sequence('enrolments', 'number'))::text") == "41")
        try await expectResults(of: settings)
        #expect(throws: LedgerError.self, "it was used") { _ = try PostgresTransferTarget(settings, writer: "old") }
    }

    /// The copy's keys, places and verdicts by payload are the source's, and their numbers go on.
    private func expectResults(of settings: PostgresSettings) async throws {
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        let key = ResultPublicKey(identifier: [1], issuer: .devices, publicKey: [2])
        #expect(
            try await ledger.resultKeys() == [PublishedResultKey(key, publishedAt: Timestamp(unixMilliseconds: 5))])
        let owner = UploadOwner(app: try #require(AppID("a")), caller: "handler")
        let id = try #require(UploadID(bytes: Self.device))
        let progress = try #require(try await ledger.progress(of: id, by: owner))
        #expect(progress.completed == [1] && progress.missing == [0] && progress.upload.payloadSHA256 == [3])
        let device = try #require(DeviceID(bytes: Self.device))
        let until = Timestamp(unixMilliseconds: 9)
        let place = try await ledger.statusPlace(of: device, for: [8], until: until)
        #expect(place == ResultStatusPlace(list: 0, position: 6))
        #expect(try await ledger.statusLists() == [ResultStatusList(0, revision: 4)])
        #expect(try await ledger.statusEntries(ofList: 0) == [ResultStatusEntry(position: 6, status: .invalid)])
        #expect(
            try await ledger.statusPlace(of: device, for: [9], until: until) == ResultStatusPlace(list: 0, position: 20))
        #expect(try #require(try await ledger.statusLists().first).revision > 4)
        let found = try await ledger.verdicts(onPayload: [6], at: Timestamp(unixMilliseconds: 900), limit: 9)
        #expect(found.map(\.content) == [[], [5]] && found.map(\.device) == [device, nil])
    }
}
