import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Device registry")
struct DeviceRegistryTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func register(_ ledger: SQLiteLedger, _ device: Device) async throws {
        #expect(try await ledger.commit([try Sample.entry(registrations: [device])]) == [.committed])
    }

    @Test("Devices are listed while another process holds the write lock")
    func listsBesideTheWriter() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let device = try Sample.device()
        try await register(ledger, device)
        let other = try OtherConnection(directory.path())
        try other.execute("BEGIN IMMEDIATE")
        let page = try await ledger.devices(DeviceListing(app: device.app, limit: 10))
        #expect(page.devices == [device])
        await #expect(throws: LedgerError.self) { try await ledger.block(.device(device.id), reason: "r", at: Sample.now) }
        try other.execute("ROLLBACK")
    }

    @Test(
        "Listings, counts and blocks of devices use an index",
        arguments: [
            (DeviceRow.selection + " WHERE devices.app = ?1 AND number > ?2 ORDER BY number LIMIT ?3", "devices_app"),
            (
                DeviceRow.selection + " WHERE devices.app = ?1 AND number > ?2 AND subject = ?4 ORDER BY number LIMIT ?3",
                "devices_subject"
            ),
            ("SELECT count(*) FROM (SELECT 1 FROM devices WHERE app = ?1 AND subject = ?2 LIMIT ?3)", "devices_subject"),
            (
                "UPDATE counters SET blocked = 2 WHERE device IN (SELECT id FROM devices WHERE subject = ?1 AND app = ?2)",
                "devices_subject"
            ),
        ])
    func plans(_ sql: String, _ index: String) throws {
        try SQLiteLedger.open(path: directory.path()).close()
        let connection = try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
        let plan = try SQLiteStatement(connection, "EXPLAIN QUERY PLAN " + sql).all { $0.text(3) }
        #expect(plan.contains { $0.contains(index) }, "\(plan)")
        #expect(!plan.contains { $0.contains("SCAN") && !$0.contains("subquery") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test("A listing that reads its limit of records has short pages and shows each device")
    func looksAtSoMuch() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let device = try Sample.device()
        try await register(ledger, device)
        let last = try Sample.device()
        // Many devices that are not blocked, written without the ledger.
        let other = try OtherConnection(directory.path())
        try other.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= \(DeviceScan.lookLimit))
            INSERT INTO devices SELECT i, CAST(printf('%016d', i) AS BLOB), CAST(printf('%032d', i) AS BLOB), app, subject,
                format, public_key, environment, anchor, simulated, imported, registered_at, chain_serials, attestation_key, claims, x'',
                NULL, 0, NULL, NULL, NULL, NULL
            FROM n JOIN devices ON number = 1;
            INSERT INTO counters SELECT id, 0, 1, 0, 0 FROM devices WHERE number > 1;
            """)
        try await register(ledger, last)
        _ = try await ledger.block(.device(last.id), reason: "r", at: Sample.now)
        let first = try await ledger.devices(DeviceListing(app: device.app, isBlocked: true, limit: 10))
        #expect(first.devices.isEmpty)
        let position = try #require(first.next)
        let second = try await ledger.devices(
            DeviceListing(app: device.app, isBlocked: true, position: position, limit: 10))
        #expect(second.devices.map(\.id) == [last.id] && second.next == nil)
    }

    @Test("A forgotten device is not served from the cache, not even after its key registers again")
    func forgottenInMemory() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let device = try Sample.device()
        try await register(ledger, device)
        #expect(try await ledger.device(device.testKey)?.id == device.id)
        _ = try await ledger.forget(device.id)
        #expect(try await ledger.device(device.testKey) == nil)
        let again = Device(
            id: .random(), app: device.app, subject: nil, registration: device.registration, registeredAt: Sample.now)
        try await register(ledger, again)
        for _ in 0..<2 { #expect(try await ledger.device(device.testKey)?.id == again.id) }
    }

    @Test("A device whose subject or key was blocked is not served from the cache")
    func blockedInMemory() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let sample = try Sample.device()
        let device = Device(
            id: sample.id, app: sample.app, subject: [UInt8](repeating: 1, count: 32), registration: sample.registration,
            registeredAt: Sample.now)
        try await register(ledger, device)
        for target in [BlockKind.subject, .key].compactMap({ device.blockTarget($0) }) {
            #expect(try await ledger.device(device.testKey)?.isBlocked == false)
            _ = try await ledger.block(target, reason: "r", at: Sample.now)
            #expect(try await ledger.device(device.testKey)?.isBlocked == true)
            _ = try await ledger.unblock(target)
        }
    }

    @Test("No byte of a forgotten device's receipt, claims and verdicts stays in the file")
    func noTrace() async throws {
        let path = directory.path()
        let ledger = try SQLiteLedger.open(path: path)
        let marker = Array("what is to be forgotten".utf8)
        let sample = try Sample.device()
        let receipt = Array(repeatElement(marker, count: 1000).joined())
        let device = Device(
            id: sample.id, app: sample.app, subject: nil,
            registration: Registration(
                format: sample.registration.format, keyID: sample.registration.keyID,
                publicKey: sample.registration.publicKey, environment: "production", anchor: [],
                claims: Claims([.init(name: "c", value: .bytes(marker))]), chainSerials: [], receipt: receipt,
                simulated: false), registeredAt: Sample.now)
        let kept = LedgerEntry.Idempotency(
            key: [1], request: [2], expiry: Sample.expiry, verdict: receipt, device: device.id)
        #expect(
            try await ledger.commit([try Sample.entry(registrations: [device], idempotency: kept)]) == [.committed])
        // Devices that stay.
        for _ in 0..<20 { try await register(ledger, try Sample.device()) }
        _ = try await ledger.forget(device.id)
        ledger.close()
        // A ledger that is opened again begins with an empty write-ahead log.
        try SQLiteLedger.open(path: path).close()
        for file in [path, path + "-wal"] where FileManager.default.fileExists(atPath: file) {
            let bytes = try Data(contentsOf: URL(filePath: file))
            #expect(bytes.range(of: Data(marker)) == nil, "\(file)")
        }
    }

    @Test("Blocks and the blocked keys of forgotten devices survive a restart")
    func restart() async throws {
        let device = try Sample.device()
        let first = try SQLiteLedger.open(path: directory.path())
        try await register(first, device)
        _ = try await first.block(.device(device.id), reason: "stolen", at: Sample.now)
        _ = try await first.forget(device.id)
        first.close()
        let second = try SQLiteLedger.open(path: directory.path())
        defer { second.close() }
        #expect(try await second.status().devices == 0)
        let entry = try Sample.entry(registrations: [device])
        #expect(try await second.commit([entry]) == [.refused(.deviceBlocked)])
    }
}
