import AssayCore
import AssayLedger
import AssayTesting
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Signed results in the file")
struct ResultTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private static let audience = [UInt8](repeating: 0xA0, count: 32)
    private static let until = Sample.now.adding(milliseconds: 86_400_000)
    private static let payload = [UInt8](repeating: 0xF0, count: 32)
    private static let context = ChangeContext(.caller("operator"), at: Sample.now, reason: "test")

    private func entry(about device: Device, content: [UInt8]) throws -> LedgerEntry {
        LedgerEntry(
            time: Sample.now, spends: [Sample.spend()],
            audit: AuditRecord(
                requestID: SecureRandom.bytes(16), caller: "tester", app: device.app, purpose: .assert, device: device.id,
                assurance: .hardware, evidenceDigest: SecureRandom.bytes(32), policyDigest: SecureRandom.bytes(32),
                simulated: false),
            lookups: [
                IndexedVerdict(
                    key: Self.payload, device: device.id, time: Sample.now, until: Self.until, content: content)
            ])
    }

    /// The statements that a caller's request, or each purge, runs.
    private static let statements = [
        StatusTable.finding, StatusTable.validity, StatusTable.listing, StatusTable.ending, PayloadTable.finding,
        PayloadTable.purging, PayloadTable.removing,
    ]

    @Test("No statement about status places or verdicts by payload scans a table", arguments: statements)
    func plans(_ sql: String) throws {
        try SQLiteLedger.open(path: directory.path()).close()
        let connection = try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
        let steps = try SQLiteStatement(connection, "EXPLAIN QUERY PLAN " + sql).all { $0.text(3) }
        #expect(steps.contains { $0.hasPrefix("SEARCH") }, "\(steps)")
        #expect(!steps.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(steps)")
    }

    @Test("The SQLite ledger keeps the promises that take many records", arguments: LedgerContract.longChecks)
    func long(_ check: ContractCheck) async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        try await check.run(on: ledger)
    }

    @Test("Keys, status places, revisions and verdicts by payload survive a restart")
    func restart() async throws {
        let (device, other) = (try Sample.device(), try Sample.device())
        let first = try SQLiteLedger.open(path: directory.path())
        #expect(try await first.commit([Sample.entry(registrations: [device, other])]) == [.committed])
        let key = ResultPublicKey(identifier: [UInt8](repeating: 1, count: 32), issuer: .devices, publicKey: [4, 5])
        #expect(try await first.publish([key], Self.context) == 1)
        let places = try await first.statusPlaces([device, other].map { request($0.id) })
        _ = try await first.setInvalid(true, other.id)
        #expect(try await first.commit([entry(about: device, content: [7])]) == [.committed])
        let (keys, lists) = (try await first.resultKeys(), try await first.statusLists())
        first.close()

        let second = try SQLiteLedger.open(path: directory.path())
        defer { second.close() }
        #expect(try await second.resultKeys() == keys && keys.first?.signsFrom == Sample.now)
        #expect(try await second.statusLists() == lists && lists.map(\.number) == [0])
        #expect(try await second.statusPlaces([device, other].map { request($0.id) }) == places)
        #expect(
            try await second.statusEntries(ofList: 0) == [ResultStatusEntry(position: places[1].position, status: .invalid)])
        #expect(try await second.verdicts(onPayload: Self.payload, at: Sample.now, limit: 9).map(\.content) == [[7]])
        _ = try await second.block(.device(device.id), Self.context)
        #expect(try #require(try await second.statusLists().first).revision > lists[0].revision)
        let next = try await second.statusPlace(of: .random(), for: Self.audience, until: Self.until)
        #expect(!places.contains(next))
    }

    private func request(_ device: DeviceID) -> ResultStatusRequest {
        ResultStatusRequest(device: device, audience: Self.audience, until: Self.until)
    }

    @Test("After the last position of a list the first one of the next list is given out, also when places were forgotten")
    func boundary() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let device = try Sample.device()
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        _ = try await ledger.statusPlaces([request(device.id)])
        // As if all others but two had been given out and forgotten.
        try OtherConnection(directory.path()).execute(
            "UPDATE sqlite_sequence SET seq = \(ResultStatusPlace.listSize - 2) WHERE name = 'status_places'")
        let places = try await ledger.statusPlaces((0..<3).map { _ in request(.random()) })
        let size = ResultStatusPlace.listSize
        #expect(
            places == [
                ResultStatusPlace(list: 0, position: size - 2), ResultStatusPlace(list: 0, position: size - 1),
                ResultStatusPlace(list: 1, position: 0),
            ])
        #expect(try await ledger.statusLists().map(\.number) == [0, 1])
        try await ledger.purge(now: Self.until.adding(milliseconds: 1))
        #expect(try await ledger.statusLists().isEmpty)
        #expect(try await ledger.statusPlaces([request(device.id)]) == [ResultStatusPlace(list: 1, position: 1)])
    }

    @Test("A restored ledger gives out no place that the ledger gave out after the backup, and its revisions go on")
    func restored() async throws {
        let (device, backup, path) = (try Sample.device(), directory.path("backup.db"), directory.path("restored.db"))
        let ledger = try SQLiteLedger.open(path: directory.path())
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        let kept = try await ledger.statusPlace(of: device.id, for: Self.audience, until: Self.until)
        #expect(FileManager.default.createFile(atPath: backup, contents: nil))
        try LedgerCopy.make(of: directory.path(), .ledger, into: backup)
        let lost = try await ledger.statusPlaces((0..<3).map { _ in request(.random()) })
        _ = try await ledger.block(.device(device.id), Self.context)
        let before = try #require(try await ledger.statusLists().first)
        ledger.close()

        _ = try await LedgerRestore.run(backup, into: path, check: { _ in }) { try await $0.skipLostPublications() }
        let again = try SQLiteLedger.open(path: path)
        defer { again.close() }
        #expect(try await again.statusPlaces([request(device.id)]) == [kept])
        let new = try await again.statusPlace(of: .random(), for: Self.audience, until: Self.until)
        #expect(new.list > lost[2].list && new.position == 0)
        let after = try #require(try await again.statusLists().first)
        #expect(after.number == before.number && after.revision > before.revision)
        #expect(try await again.statusEntries(ofList: after.number).isEmpty, "the block is lost")
    }

    @Test("The verdicts by payload of a forgotten device are overwritten in the file")
    func erased() async throws {
        let device = try Sample.device()
        let contents = (0..<5).map { _ in SecureRandom.bytes(IndexedVerdict.contentLimit) }
        let ledger = try SQLiteLedger.open(path: directory.path())
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        for content in contents { #expect(try await ledger.commit([entry(about: device, content: content)]) == [.committed]) }
        ledger.close()
        func found() throws -> Int {
            let bytes = try Data(contentsOf: URL(filePath: directory.path()))
            return contents.count { bytes.range(of: Data($0[1000..<1032])) != nil }
        }
        #expect(try found() == contents.count)
        let again = try SQLiteLedger.open(path: directory.path())
        #expect(try await again.forget(device.id, Self.context) != nil)
        again.close()
        #expect(try found() == 0)
    }

    @Test("What signed results need is among the rows that are copied into a database")
    func copied() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        let (device, draft) = (try Sample.device(), directory.path("draft.db"))
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        let key = ResultPublicKey(identifier: [UInt8](repeating: 1, count: 32), issuer: .simulatedDevices, publicKey: [4, 5])
        _ = try await ledger.publish([key], Self.context)
        _ = try await ledger.statusPlaces([request(device.id)])
        _ = try await ledger.setInvalid(true, device.id)
        #expect(try await ledger.commit([entry(about: device, content: [7])]) == [.committed])
        let revision = try #require(try await ledger.statusLists().first).revision
        ledger.close()
        #expect(FileManager.default.createFile(atPath: draft, contents: nil))
        let source = try SQLiteTransferSource(copying: directory.path(), into: draft)
        func rows(_ name: String) throws -> [CopiedRow] {
            let table = try #require(CopiedTable.all.first { $0.name == name })
            var rows: [CopiedRow] = []
            try source.forEach(in: table) { row throws(LedgerError) in rows.append(row) }
            return rows
        }
        let (now, until) = (Sample.now.unixMilliseconds, Self.until.unixMilliseconds)
        #expect(
            try rows("result_keys") == [
                [.integer(1), .bytes(key.identifier), .integer(2), .bytes([4, 5]), .integer(now), .integer(now)]
            ])
        #expect(
            try rows("status_places") == [
                [.integer(1), .bytes(device.id.bytes), .bytes(Self.audience), .integer(until)]
            ])
        #expect(try rows("status_lists") == [[.integer(0), .integer(revision)]])
        #expect(try rows("invalid_devices") == [[.bytes(device.id.bytes)]])
        #expect(
            try rows("payload_verdicts") == [
                [.bytes(Self.payload), .integer(now), .integer(1), .bytes(device.id.bytes), .integer(until), .bytes([7])]
            ])
        #expect(source.highestNumbers["status_places"] == 1)
    }
}
