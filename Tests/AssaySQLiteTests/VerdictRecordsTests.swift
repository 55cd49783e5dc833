import AssayCore
import AssayTesting
import CFaultVFS
import CSQLite
import Foundation
import Synchronization
import Testing

@testable import AssaySQLite

@Suite("SQLite store of verdict records", .timeLimit(.minutes(30)))
struct VerdictRecordsTests {
    let directory: TemporaryDirectory
    var path: String { directory.path("verdicts.db") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(
        moving: Bool = false, vfs: String? = nil, queueLimit: Int = SQLiteVerdictRecords.queueLimit,
        report: @escaping @Sendable (String?) -> Void = { _ in }
    ) -> SQLiteVerdictRecords {
        SQLiteVerdictRecords(
            SQLiteVerdictRecords.Place(path: path, movesDamagedAside: moving), clock: FixedClock(Sample.now), vfs: vfs,
            queueLimit: queueLimit, report: report)
    }

    private let everything = VerdictRecordListing(limit: 500)

    @Test("The SQLite store of verdict records keeps each promise", arguments: VerdictRecordStoreContract.checks)
    func contract(_ check: VerdictRecordStoreCheck) async throws {
        let store = open()
        try await check.run(on: store)
        store.close()
    }

    @Test("Records are read again after the store was closed, and its end was clean")
    func reopening() async throws {
        let records = (0..<10).map { VerdictRecord.sample(Int64($0)) }
        let first = open()
        first.append(records)
        first.close()
        let second = open()
        #expect(try await second.all(everything) == records.reversed())
        #expect(second.status.uncleanSince == nil && second.status.rows == 10)
        #expect(second.status.bytes > 0)
        second.close()
    }

    @Test("The file is readable by its owner only, with a wide umask and after it was widened")
    func mode() async throws {
        func mode() throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        }
        let first = open()
        _ = try await first.count()
        #expect(try mode() == 0o600)
        first.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        let second = open()
        _ = try await second.count()
        #expect(try mode() == 0o600)
        second.close()
    }

    @Test("A store that was not closed is read again, and says since when its last records may be missing")
    func uncleanEnd() async throws {
        let first = open()
        first.append([.sample(1)])
        _ = try await first.count()
        // The files as a killed process leaves them.
        let copy = directory.path("copy.db")
        for side in ["", "-wal"] where FileManager.default.fileExists(atPath: path + side) {
            try FileManager.default.copyItem(atPath: path + side, toPath: copy + side)
        }
        first.close()
        let second = SQLiteVerdictRecords(SQLiteVerdictRecords.Place(path: copy))
        #expect(try await second.count() == 1)
        #expect(second.status.uncleanSince == Sample.now)
        second.close()
        // That start ended cleanly.
        let third = SQLiteVerdictRecords(SQLiteVerdictRecords.Place(path: copy))
        #expect(try await third.count() == 1)
        #expect(third.status.uncleanSince == nil)
        third.close()
    }

    // MARK: Files that cannot be used

    enum Unusable: String, CaseIterable, Sendable {
        case text, ledger, otherDatabase, newerVersion, damaged
    }

    private func makeUnusable(_ kind: Unusable) throws {
        switch kind {
        case .text: try Data(String(repeating: "no database\n", count: 1000).utf8).write(to: URL(fileURLWithPath: path))
        case .ledger: try SQLiteLedger.open(path: path).close()
        case .otherDatabase: try OtherConnection(path).execute("CREATE TABLE notes (text TEXT)")
        case .newerVersion:
            open().close()
            try OtherConnection(path).execute("PRAGMA user_version=99")
        case .damaged:
            let store = open()
            store.append((0..<200).map { VerdictRecord.sample(Int64($0)) })
            store.close()
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            try file.seek(toOffset: 4096)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 12_000))
            try file.close()
        // A damaged file is looked through after an unclean end only, so its damage is found by the next write.
        }
    }

    @Test(
        "A file that is none, or is damaged, is left as it is: records are dropped and counted, and the status says why",
        arguments: Unusable.allCases)
    func unusable(_ kind: Unusable) async throws {
        try makeUnusable(kind)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let reports = Mutex<[String?]>([])
        let store = open { problem in reports.withLock { $0.append(problem) } }
        for step in 0..<3 {
            store.append([VerdictRecord.sample(Int64(1000 + step), standsFor: 10)])
            await #expect(throws: VerdictRecordError.self) { _ = try await store.all(everything) }
        }
        let status = store.status
        #expect(status.problem?.contains(path) == true, "\(status.problem ?? "no problem")")
        #expect(status.dropped == 30)
        #expect(reports.withLock { $0.count } == 1)
        store.close()
        let after = try Data(contentsOf: URL(fileURLWithPath: path))
        if kind != .damaged { #expect(after == before) }
    }

    @Test(
        "With leave to do so, a file that cannot be used is moved aside and kept, and records go to a new one",
        arguments: Unusable.allCases)
    func movedAside(_ kind: Unusable) async throws {
        try makeUnusable(kind)
        let store = open(moving: true)
        // Damage is found by the first read or write; what that has with it is lost.
        store.append([.sample()])
        _ = try? await store.count()
        store.append([.sample()])
        #expect(try await store.count() >= 1)
        #expect(store.status.problem == nil)
        store.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(names.contains { $0.hasPrefix("verdicts.db.damaged-") }, "\(names)")
    }

    @Test("A file that another process has open is not used, and used once it is free")
    func inUse() async throws {
        let first = open()
        _ = try await first.count()
        let second = open()
        await #expect(throws: VerdictRecordError.self) { _ = try await second.count() }
        #expect(second.status.problem?.hasSuffix("is in use by another process") == true)
        first.close()
        // As after a reload: the file is tried at once.
        second.use(SQLiteVerdictRecords.Place(path: path))
        second.append([.sample()])
        #expect(try await second.count() == 1)
        #expect(second.status.problem == nil)
        second.close()
    }

    @Test("A missing folder does not keep the store from being made, and the records go to the file of another place")
    func otherPlace() async throws {
        let missing = directory.path("missing/verdicts.db")
        let store = SQLiteVerdictRecords(SQLiteVerdictRecords.Place(path: missing))
        store.append([.sample()])
        await #expect(throws: VerdictRecordError.self) { _ = try await store.count() }
        #expect(store.status.dropped == 1)
        store.use(SQLiteVerdictRecords.Place(path: path))
        store.append([.sample()])
        #expect(try await store.count() == 1)
        store.close()
    }

    // MARK: Load and faults

    @Test(
        "While the disk is full, records are dropped and counted, those before can be read, and afterwards records are kept again"
    )
    func diskFull() async throws {
        let vfs = try FaultVFS()
        let reports = Mutex<[String?]>([])
        let store = open(vfs: vfs.name) { problem in reports.withLock { $0.append(problem) } }
        store.append((0..<50).map { VerdictRecord.sample(Int64($0)) })
        #expect(try await store.count() == 50)
        fault_vfs_set_space(vfs.faults, 0)
        for step in 0..<20 { store.append((0..<50).map { VerdictRecord.sample(Int64(100 + step * 50 + $0)) }) }
        #expect(try await store.count() == 50)
        #expect(store.status.dropped == 1000)
        #expect(store.status.problem != nil)
        fault_vfs_set_space(vfs.faults, -1)
        store.append([.sample(5000)])
        #expect(try await store.count() == 51)
        #expect(store.status.problem == nil)
        #expect(store.status.dropped == 1000)
        #expect(reports.withLock { $0.map { $0 == nil } } == [false, true])
        store.close()
    }

    @Test("A full queue drops records, counts what they stand for, and never waits")
    func queueFull() async throws {
        // Less than two records.
        let store = open(queueLimit: 1500)
        let busy = DispatchSemaphore(value: 0)
        let started = AsyncStream<Void>.makeStream()
        // Holds the thread until the queue is full.
        async let held: Void = {
            _ = try? await store.hold {
                started.continuation.yield(); busy.wait()
            }
        }()
        for await _ in started.stream { break }
        for _ in 0..<10 { store.append([.sample(standsFor: 3)]) }
        #expect(store.status.dropped == 27)
        busy.signal()
        await held
        #expect(try await store.count() == 1)
        store.close()
    }

    @Test("A filter that no record meets ends after bounded pages")
    func scan() async throws {
        let store = open()
        for start in 0..<24 {
            store.append((0..<500).map { VerdictRecord.sample(Int64(start * 500 + $0)) })
            // Waits for the thread: the queue is bounded.
            _ = try await store.page(VerdictRecordListing(limit: 1))
        }
        var listing = VerdictRecordListing(limit: 100)
        // Both are of every record, but never together.
        (listing.reason, listing.decision) = ("nonce_mismatch", .accepted)
        var pages = 0
        while true {
            let page = try await store.page(listing)
            pages += 1
            #expect(page.records.isEmpty)
            guard let next = page.next else { break }
            listing.after = next
        }
        #expect(pages == 3)
        store.close()
    }
}

extension SQLiteVerdictRecords {
    /// Holds the thread up while `body` runs.
    fileprivate func hold(_ body: @escaping @Sendable () -> Void) async throws {
        _ = try await read { (_) throws(SQLiteError) -> Int in
            body()
            return 0
        }
    }
}
