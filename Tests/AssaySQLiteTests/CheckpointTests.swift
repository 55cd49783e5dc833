import AssayCore
import AssayLedger
import CFaultVFS
import CSQLite
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Checkpoints", .timeLimit(.minutes(30)))
struct CheckpointTests {
    let directory: TemporaryDirectory
    let vfs: FaultVFS

    init() throws {
        directory = try TemporaryDirectory()
        vfs = try FaultVFS()
    }

    private var databaseSyncs: Int64 { fault_vfs_syncs(vfs.faults, Int32(FAULT_DATABASE)) }

    private func options(step: Int) -> LedgerOptions {
        var options = LedgerOptions()
        options.vfs = vfs.name
        options.checkpointStep = step
        return options
    }

    private func open(step: Int) throws -> SQLiteLedger {
        try SQLiteLedger.open(path: directory.path(), options: options(step: step))
    }

    /// Until `condition` holds. False if it does not in a minute.
    private func wait(for condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<6000 {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test("A step syncs the database once, whether it reaches the end of the log or not")
    func syncs() async throws {
        let ledger = try open(step: .max)
        defer { ledger.close() }
        let connection = try SQLiteConnection.ledger(at: directory.path(), options(step: .max))
        _ = try await ledger.commit([try Sample.entry()])
        // Frames behind those that a reader sees are not copied.
        let reader = try OtherConnection(directory.path())
        try reader.execute("BEGIN; SELECT count(*) FROM audit")
        _ = try await ledger.commit([try Sample.entry()])

        let before = databaseSyncs
        let first = try connection.checkpointAndSync()
        #expect(first > 0 && databaseSyncs == before + 1)
        try reader.execute("COMMIT")
        let second = try connection.checkpointAndSync()
        #expect(second > first && databaseSyncs == before + 2)
        let (frames, copied) = try connection.checkpoint()
        #expect(frames == copied && copied == second && databaseSyncs == before + 2, "nothing was left to copy")
    }

    @Test("A step is one of 256 frames, or of eight large commits, up to a quarter of a long log")
    func sizes() {
        /// The numbers of frames in the log at which a run is due, for commits of so many frames.
        func due(_ commits: [Int]) -> [Int] {
            let checkpointer = Checkpointer(
                path: directory.path(), options: LedgerOptions(), health: LedgerHealth(report: { _ in }))
            var frames = 0
            return commits.compactMap { added in
                frames += added
                return checkpointer.isDue(at: frames) ? frames : nil
            }
        }
        #expect(due([Int](repeating: 4, count: 200)) == [256, 512, 768])
        #expect(due([Int](repeating: 100, count: 30)) == [300, 1100, 1900, 2700])
        #expect(due([3000] + [Int](repeating: 100, count: 20)) == [3000, 4100, 4900])

        let checkpointer = Checkpointer(
            path: directory.path(), options: LedgerOptions(), health: LedgerHealth(report: { _ in }))
        #expect(
            [3000, 100, 200, 799, 800].map(checkpointer.isDue) == [true, false, false, false, true],
            "a new log has its own first step")
    }

    @Test("A closed ledger leaves no log behind, although checkpoints had a connection")
    func closes() async throws {
        let ledger = try open(step: 1)
        let before = databaseSyncs
        _ = try await ledger.commit([try Sample.entry()])
        #expect(try await wait { databaseSyncs > before })
        ledger.close()
        #expect(!FileManager.default.fileExists(atPath: directory.path("ledger.db-wal")))
        let next = try open(step: 1)
        defer { next.close() }
        #expect(try await next.status().auditCount == 1)
    }

    /// A step that copies the first of two entries, and whose sync fails. Then what Linux does with pages that it could not write: they are gone, and
    /// syncs succeed.
    ///
    /// - Returns: what the first entry spent.
    private func losePages(of ledger: SQLiteLedger) async throws -> LedgerEntry.Spend {
        let old = try Data(contentsOf: URL(filePath: directory.path()))
        let spend = Sample.spend()
        #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.committed])
        let reader = try OtherConnection(directory.path())
        try reader.execute("BEGIN; SELECT count(*) FROM audit")
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])

        fault_vfs_fail_syncs(vfs.faults, Int32(FAULT_DATABASE), SQLITE_IOERR | 4 << 8)
        let before = fault_vfs_bytes_written(vfs.faults, Int32(FAULT_DATABASE))
        ledger.checkpointer.logHolds(frames: 1000)
        #expect(try await wait { ledger.checkpointer.isInDoubt })
        #expect(fault_vfs_bytes_written(vfs.faults, Int32(FAULT_DATABASE)) > before)
        let file = try FileHandle(forWritingTo: URL(filePath: directory.path()))
        try file.write(contentsOf: old)
        try file.close()
        fault_vfs_fail_syncs(vfs.faults, Int32(FAULT_DATABASE), 0)
        return spend
    }

    @Test("Pages that a failed sync of the ledger's file lost are copied from the log again")
    func failedSync() async throws {
        let ledger = try open(step: 1000)
        let spend = try await losePages(of: ledger)
        for _ in 0..<3 { #expect(try await ledger.commit([try Sample.entry()]) == [.committed]) }
        #expect(!ledger.checkpointer.isInDoubt)
        #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
        #expect(try await ledger.status().auditCount == 5)
        ledger.close()
        #expect(try OtherConnection(directory.path()).text("PRAGMA integrity_check") == "ok")
        #expect(try AuditWalk.isUnbroken(directory.path()))
    }

    @Test("A ledger that closes after a failed sync keeps the log for the next start")
    func closesAfterFailedSync() async throws {
        let ledger = try open(step: 1000)
        let spend = try await losePages(of: ledger)
        ledger.close()
        let next = try open(step: 1000)
        #expect(try await next.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
        #expect(try await next.status().auditCount == 2)
        next.close()
        #expect(try OtherConnection(directory.path()).text("PRAGMA integrity_check") == "ok")
    }
}
