import AssayCore
import AssayTesting
import CFaultVFS
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Changes in the ledger's audit log")
struct AuditChangesFileTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// A row of `docs/vectors/audit-v1.json`.
    private struct Row: Decodable {
        let number: Int64
        let timeUnixMs: Int64
        let recordHex: String
        let headHex: String
    }

    /// The chain of verdicts that the page's script makes, as releases before changes were recorded wrote it.
    private static func oldChain() throws -> [Row] {
        struct File: Decodable { let vectors: [Row] }
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/vectors/audit-v1.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(File.self, from: try Data(contentsOf: file)).vectors
    }

    @Test("A ledger from before changes were recorded opens, and its chain continues with changes")
    func oldLedger() async throws {
        try SQLiteLedger.open(path: directory.path()).close()
        let rows = try Self.oldChain()
        let other = try OtherConnection(directory.path())
        for row in rows {
            try other.execute(
                "INSERT INTO audit VALUES (\(row.number), \(row.timeUnixMs), x'\(row.recordHex)', x'\(row.headHex)')")
        }
        let version = try other.text("PRAGMA user_version")
        let kept = try #require(rows.last.flatMap { ExpectedAuditHead("\($0.headHex):\($0.number)") })
        #expect(try AuditWalk.fault(directory.path(), expecting: [kept]) == nil)

        let ledger = try SQLiteLedger.open(path: directory.path())
        let app = try #require(Sample.app)
        _ = try await ledger.block(.subject([1], of: app), .test(at: Sample.now, reason: "r"))
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        let page = try await ledger.audit(from: 1, limit: 100)
        ledger.close()
        #expect(try other.text("PRAGMA user_version") == version)
        #expect(page.rows.prefix(rows.count).map { Hex.encode($0.record) } == rows.map(\.recordHex))
        #expect(page.rows.count == rows.count + 2 && AuditChange(decoding: page.rows[rows.count].record)?.kind == .block)
        #expect(try AuditWalk.fault(directory.path(), expecting: [kept]) == nil)
    }

    @Test("An audit record of a change exists if and only if the change does", arguments: 0..<5)
    func together(_ kind: Int) async throws {
        let vfs = try FaultVFS()
        var options = LedgerOptions()
        (options.vfs, options.busyTimeout) = (vfs.name, 20)
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        let device = try Sample.device()
        #expect(try await ledger.commit([try Sample.entry(registrations: [device])]) == [.committed])
        let key = BlockTarget.key(DeviceKey(app: device.app, keyID: [1]))
        _ = try await ledger.block(key, .test(at: Sample.now, reason: "r"))
        let imported = try Sample.device()
        let context = ChangeContext.test(at: Sample.now, reason: "r")
        func change() async throws -> Bool {
            switch kind {
            case 0: return try await ledger.block(.device(device.id), context) != nil
            case 1: return try await ledger.unblock(key, context)?.wasBlocked == true
            case 2: return try await ledger.forget(device.id, context) != nil
            case 3: return try await ledger.add(imported: [imported], context) == [.added(imported.id)]
            default:
                try await ledger.record(.configurationLoad([], version: "1", by: .signal), at: Sample.now)
                return true
            }
        }
        let before = try await ledger.status()
        fault_vfs_set_space(vfs.faults, 0)
        await #expect(throws: LedgerError.self) { try await change() }
        fault_vfs_set_space(vfs.faults, -1)
        let failed = try await ledger.status()
        #expect(failed.auditEnd == before.auditEnd && failed.devices == before.devices)
        #expect(try await change(), "nothing of it was there")
        #expect(try await ledger.status().auditCount == before.auditCount + 1)
        #expect(try AuditWalk.isUnbroken(directory.path()))
    }
}
