import AssayCore
import AssayTesting
import CFaultVFS
import CSQLite
import Foundation
import Testing

@testable import AssaySQLite

/// A ledger whose store fails reports the failure, and works again when the store does.
@Suite("Faults")
struct FaultTests {
    let directory: TemporaryDirectory
    let vfs: FaultVFS
    let ledger: SQLiteLedger

    init() throws {
        directory = try TemporaryDirectory()
        vfs = try FaultVFS()
        var options = LedgerOptions()
        options.vfs = vfs.name
        options.busyTimeout = 20
        ledger = try SQLiteLedger.open(path: directory.path(), options: options)
    }

    /// How a fault is made and ended.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let begin: @Sendable (OpaquePointer) -> Void
        let end: @Sendable (OpaquePointer) -> Void
    }

    private static let wal = Int32(FAULT_WAL)
    private static let all = Int32(FAULT_ALL)

    static let faults = [
        Fault(testDescription: "disk full") {
            fault_vfs_set_space($0, 0)
        } end: {
            fault_vfs_set_space($0, -1)
        },
        Fault(testDescription: "disk nearly full") {
            fault_vfs_set_space($0, 6000)
        } end: {
            fault_vfs_set_space($0, -1)
        },
        Fault(testDescription: "fsync of the log failing") {
            fault_vfs_fail_syncs($0, wal, SQLITE_IOERR | 4 << 8)
        } end: {
            fault_vfs_fail_syncs($0, wal, 0)
        },
        Fault(testDescription: "writes failing") {
            fault_vfs_fail_writes($0, all, SQLITE_IOERR | 3 << 8)
        } end: {
            fault_vfs_fail_writes($0, all, 0)
        },
        Fault(testDescription: "file system read-only") {
            fault_vfs_set_read_only($0, 1)
        } end: {
            fault_vfs_set_read_only($0, 0)
        },
        Fault(testDescription: "nothing readable, nothing to be opened") {
            fault_vfs_fail_writes($0, all, SQLITE_IOERR | 3 << 8)
            fault_vfs_fail_reads($0, all, SQLITE_IOERR | 1 << 8)
            fault_vfs_fail_opens($0, all, SQLITE_CANTOPEN)
        } end: {
            fault_vfs_fail_writes($0, all, 0)
            fault_vfs_fail_reads($0, all, 0)
            fault_vfs_fail_opens($0, all, 0)
        },
    ]

    @Test("During a fault entries are unavailable, never committed, and the ledger recovers", arguments: faults)
    func recovers(_ fault: Fault) async throws {
        defer { ledger.close() }
        let device = try Sample.device()
        #expect(try await ledger.commit([try Sample.entry(registrations: [device])]) == [.committed])
        let before = try await ledger.status()
        let entry = try Self.entryOfEverything(device)

        fault.begin(vfs.faults)
        await #expect { try await ledger.commit([entry]) } throws: { Self.isUnavailable($0) }
        // The first entries of a batch must not be committed either if a later one fails.
        let batch = try (0..<200).map { _ in try Sample.entry(registrations: [try Sample.device()]) }
        await #expect { try await ledger.commit(batch) } throws: { Self.isUnavailable($0) }
        await #expect { try await ledger.block(.device(device.id), reason: "test", at: Sample.now) } throws: {
            Self.isUnavailable($0)
        }
        fault.end(vfs.faults)

        // Nothing was applied: the same entry is accepted now, and the others changed nothing.
        #expect(try await ledger.commit([entry]) == [.committed])
        let after = try await ledger.status()
        #expect(after.auditCount == before.auditCount + 1)
        #expect(after.devices == before.devices + 1)
        #expect(
            after.auditHead
                == AuditChain(number: before.auditCount, head: before.auditHead).appending(entry.audit.bytes, at: entry.time)
                .head)
        #expect(try await ledger.device(device.testKey)?.counter == 1)
        #expect(try AuditWalk.isUnbroken(directory.path()))
    }

    @Test("After a long fault each entry is applied in full or not at all, and never twice", arguments: faults)
    func recoversFromLongFault(_ fault: Fault) async throws {
        defer { ledger.close() }
        let device = try Sample.device()
        #expect(try await ledger.commit([try Sample.entry(registrations: [device])]) == [.committed])
        let entry = try Self.entryOfEverything(device)
        fault.begin(vfs.faults)
        for _ in 0..<12 {
            await #expect { try await ledger.commit([entry]) } throws: { Self.isUnavailable($0) }
            // Readers do not see data that was written and not synced.
            let kept = try? await ledger.verdict(idempotencyKey: [1], now: Sample.now)
            #expect(kept == nil)
        }
        fault.end(vfs.faults)

        let syncs = fault_vfs_syncs(vfs.faults, Self.all)
        let outcome = try await ledger.commit([entry])
        #expect(outcome == [.committed] || outcome == [.repeated(verdict: [3])])
        #expect(fault_vfs_syncs(vfs.faults, Self.all) > syncs, "even what is found applied was synced before it is told")
        #expect(try await ledger.commit([entry]) == [.repeated(verdict: [3])])
        #expect(try await ledger.status().auditCount == 2)
        #expect(try await ledger.status().devices == 2)
        #expect(try await ledger.device(device.testKey)?.counter == 1)
        #expect(try AuditWalk.isUnbroken(directory.path()))
    }

    private static func entryOfEverything(_ device: Device) throws -> LedgerEntry {
        try Sample.entry(
            registrations: [try Sample.device()], advances: [Sample.advance(device, to: 1)],
            idempotency: .init(key: [1], request: [2], expiry: Sample.expiry, verdict: [3], device: nil))
    }

    @Test("During faults under load each entry is accepted at most once")
    func recoversUnderLoad() async throws {
        defer { ledger.close() }
        let spends = (0..<400).map { _ in Sample.spend() }
        let claimed = await withTaskGroup(of: LedgerEntry.Spend?.self) { group in
            for (index, spend) in spends.enumerated() {
                group.addTask { [ledger, vfs] in
                    if index % 40 == 0 {
                        fault_vfs_fail_syncs(vfs.faults, Self.wal, index % 80 == 0 ? SQLITE_IOERR | 4 << 8 : 0)
                    }
                    guard let entry = try? Sample.entry(spends: [spend]) else { return nil }
                    return (try? await ledger.commit([entry])) == [.committed] ? spend : nil
                }
            }
            return await group.reduce(into: [LedgerEntry.Spend]()) { if let spend = $1 { $0.append(spend) } }
        }
        fault_vfs_fail_syncs(vfs.faults, Self.wal, 0)
        for spend in claimed {
            #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
        }
        // The other entries are accepted now, or were accepted before, and never twice.
        for spend in spends where !claimed.contains(spend) {
            let outcome = try await ledger.commit([try Sample.entry(spends: [spend])])
            #expect(outcome == [.committed] || outcome == [.refused(.challengeReused)])
            #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
        }
        #expect(try AuditWalk.isUnbroken(directory.path()))
    }

    @Test("Entries are unavailable while another process holds the write lock")
    func locked() async throws {
        defer { ledger.close() }
        let other = try OtherConnection(directory.path())
        try other.execute("BEGIN IMMEDIATE")
        let entry = try Sample.entry()
        await #expect { try await ledger.commit([entry]) } throws: { Self.isUnavailable($0) }
        #expect(try await ledger.status().auditCount == 0, "reading goes on")
        try other.execute("COMMIT")
        #expect(try await ledger.commit([entry]) == [.committed])
    }

    @Test("Reads fail while the file cannot be read, and recover")
    func reads() async throws {
        defer { ledger.close() }
        let device = try Sample.device()
        _ = try await ledger.commit([try Sample.entry(registrations: [device])])
        // Opened again, so that nothing is cached.
        ledger.close()
        var options = LedgerOptions()
        options.vfs = vfs.name
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        fault_vfs_fail_reads(vfs.faults, Self.all, SQLITE_IOERR | 1 << 8)
        await #expect { try await ledger.device(device.testKey) } throws: { Self.isUnavailable($0) }
        await #expect { try await ledger.status() } throws: { Self.isUnavailable($0) }
        fault_vfs_fail_reads(vfs.faults, Self.all, 0)
        #expect(try await ledger.device(device.testKey) == device)
    }

    @Test("A moved ledger is neither written nor created again, and works when it is back")
    func moved() async throws {
        defer { ledger.close() }
        let spend = Sample.spend()
        _ = try await ledger.commit([try Sample.entry(spends: [spend])])
        let files = ["", "-wal", "-shm"]
        for file in files {
            try FileManager.default.moveItem(atPath: directory.path() + file, toPath: directory.path("x") + file)
        }
        for _ in 0..<2 {
            await #expect { try await ledger.commit([try Sample.entry()]) } throws: { $0.isReplaced }
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path()))
        // An empty file is not used either: every spent challenge would be fresh in it.
        try Data().write(to: URL(filePath: directory.path()))
        await #expect { try await ledger.commit([try Sample.entry(spends: [spend])]) } throws: { $0.isReplaced }
        try FileManager.default.removeItem(atPath: directory.path())
        for file in files where FileManager.default.fileExists(atPath: directory.path("x") + file) {
            try? FileManager.default.removeItem(atPath: directory.path() + file)
            try FileManager.default.moveItem(atPath: directory.path("x") + file, toPath: directory.path() + file)
        }
        let outcomes = try await ledger.commit([try Sample.entry(spends: [spend]), try Sample.entry()])
        #expect(outcomes == [.refused(.challengeReused), .committed])
    }

    @Test("A damaged file is reported as damaged")
    func corrupt() async throws {
        let device = try Sample.device()
        _ = try await ledger.commit([try Sample.entry(registrations: [device])])
        ledger.close()
        let path = directory.path()
        let whole = try Data(contentsOf: URL(filePath: path))
        // All pages after the first, which holds the schema.
        var damaged = whole
        for index in 4096..<damaged.count { damaged[index] = 0xA5 }
        try damaged.write(to: URL(filePath: path))
        #expect { try Self.useDamaged(path) } throws: { Self.isCorrupt($0) }

        // Not a database.
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: path))
        #expect { try Self.useDamaged(path) } throws: { Self.isCorrupt($0) }

        try whole.write(to: URL(filePath: path))
        let repaired = try SQLiteLedger.open(path: path)
        defer { repaired.close() }
        #expect(try await repaired.device(device.testKey) == device)
        #expect(try await repaired.commit([try Sample.entry()]) == [.committed])
    }

    @Test("After damage nothing is accepted until the ledger is opened again, even if the file is repaired")
    func corruptWhileOpen() async throws {
        let device = try Sample.device()
        _ = try await ledger.commit([try Sample.entry(registrations: [device])])
        ledger.close()
        let path = directory.path()
        let whole = try Data(contentsOf: URL(filePath: path))
        let faults = FaultNotes()
        var options = LedgerOptions()
        options.onFault = faults.note
        let open = try SQLiteLedger.open(path: path, options: options)
        let entry = try Sample.entry(advances: [Sample.advance(device, to: 1)])
        try Self.overwrite(path, with: Data(repeating: 0xA5, count: whole.count))
        for _ in 0..<2 { await #expect { try await open.commit([entry]) } throws: { Self.isCorrupt($0) } }
        try Self.overwrite(path, with: whole)
        await #expect { try await open.commit([entry]) } throws: { Self.isCorrupt($0) }
        await #expect { try await open.status() } throws: { Self.isCorrupt($0) }
        #expect(faults.all.count == 1 && faults.all.first?.isFinal == true)
        open.close()
        let again = try SQLiteLedger.open(path: path)
        defer { again.close() }
        #expect(try await again.commit([entry]) == [.committed])
    }

    @Test("A damaged device record is named, others are shown, read with it too, and nothing is accepted afterwards")
    func corruptRecord() async throws {
        defer { ledger.close() }
        let (bad, good, second) = (try Sample.device(), try Sample.device(), try Sample.device())
        _ = try await ledger.commit([try Sample.entry(registrations: [bad, good, second])])
        let other = try OtherConnection(directory.path())
        try other.execute("UPDATE devices SET claims = x'ff' WHERE id = x'\(Hex.encode(bad.id.bytes))'")
        await #expect { try await ledger.device(bad.testKey) } throws: { Self.isCorrupt($0) }
        #expect(try await ledger.device(good.testKey) == good)
        let unknown = try Sample.device()
        let found = await ledger.devices(of: [second, bad, unknown, good].map(\.testKey))
        #expect([found[0], found[2], found[3]] == [.success(second), .success(nil), .success(good)])
        #expect(throws: LedgerError.self) { try found[1].get() }
        await #expect { try await ledger.commit([try Sample.entry()]) } throws: { Self.isCorrupt($0) }
        await #expect { try await ledger.status() } throws: { Self.isCorrupt($0) }
    }

    @Test(
        "While the disk cannot be written reads work, and the status fails",
        arguments: faults.filter { ["disk full", "writes failing", "file system read-only"].contains($0.testDescription) })
    func readsWhileFull(_ fault: Fault) async throws {
        defer { ledger.close() }
        let kept = LedgerEntry.Idempotency(key: [1], request: [2], expiry: Sample.expiry, verdict: [3], device: nil)
        let first = try Sample.entry(idempotency: kept)
        #expect(try await ledger.commit([first]) == [.committed])
        fault.begin(vfs.faults)
        for _ in 0..<12 {
            await #expect { try await ledger.commit([try Sample.entry()]) } throws: { Self.isUnavailable($0) }
            #expect(try await ledger.verdict(idempotencyKey: [1], now: Sample.now)?.verdict == [3])
            #expect(try await ledger.commit([first]) == [.repeated(verdict: [3])])
            await #expect { try await ledger.status() } throws: { Self.isUnavailable($0) }
        }
        fault.end(vfs.faults)
        #expect(try await ledger.status().auditCount == 1)
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
    }

    /// Opens and writes without suspending, so that the ledger is closed in any case.
    private static func useDamaged(_ path: String) throws {
        let connection = try { () throws(LedgerError) in
            let ledger = try SQLiteLedger.open(path: path)
            ledger.close()
            return try Result { () throws(SQLiteError) in try WriterSession(path: path, options: LedgerOptions()) }
                .mapError(\.ledgerError).get()
        }()
        _ = connection
        Issue.record("a damaged file was opened")
    }

    private static func overwrite(_ path: String, with bytes: Data) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    private static func isUnavailable(_ error: any Error) -> Bool {
        if case .unavailable = error as? LedgerError { true } else { false }
    }

    private static func isCorrupt(_ error: any Error) -> Bool {
        if case .corrupt = error as? LedgerError { true } else { false }
    }
}
