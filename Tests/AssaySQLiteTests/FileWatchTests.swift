import AssayCore
import Foundation
import Testing

@testable import AssaySQLite

/// The ledger's files are exchanged or removed while it is open.
@Suite("Watch over the ledger's files", .timeLimit(.minutes(30)))
struct FileWatchTests {
    let directory: TemporaryDirectory
    let faults = FaultNotes()
    init() throws { directory = try TemporaryDirectory() }

    private func open(watchPeriod: Int32 = 60_000) throws -> SQLiteLedger {
        var options = LedgerOptions()
        options.onFault = faults.note
        // The first check is that of a commit, unless a test sets another period.
        options.watchPeriod = watchPeriod
        return try SQLiteLedger.open(path: directory.path(), options: options)
    }

    private func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: directory.path(name), toPath: directory.path(other))
    }

    /// The state that a process finds which starts after this one was killed now.
    private func afterKill() throws -> SQLiteLedger {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: directory.path() + suffix) {
            try FileManager.default.copyItem(atPath: directory.path() + suffix, toPath: directory.path("copy.db") + suffix)
        }
        return try SQLiteLedger.open(path: directory.path("copy.db"))
    }

    @Test(
        "A removed write-ahead log stops acceptance, and what was accepted before is kept",
        arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]])
    func removedLog(_ suffixes: [String]) async throws {
        let ledger = try open()
        defer { ledger.close() }
        let spend = Sample.spend()
        #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.committed])
        for suffix in suffixes { try FileManager.default.removeItem(atPath: directory.path() + suffix) }
        let later = try Sample.entry()
        for _ in 0..<3 {
            await #expect { try await ledger.commit([later]) } throws: {
                $0.isReplaced && "\($0)".contains("ledger.db\(suffixes[0]) was removed")
            }
        }
        await #expect { try await ledger.status() } throws: { $0.isReplaced }
        #expect(faults.all.count == 1 && faults.all.first?.isFinal == true)
        let next = try afterKill()
        defer { next.close() }
        #expect(
            try await next.commit([try Sample.entry(spends: [spend]), later]) == [.refused(.challengeReused), .committed],
            "what was refused was not applied")
        #expect(try AuditWalk.isUnbroken(directory.path("copy.db")))
    }

    @Test("A removed lock file stops acceptance, because another process may own the ledger")
    func removedLock() async throws {
        let ledger = try open()
        defer { ledger.close() }
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        try FileManager.default.removeItem(atPath: directory.path("ledger.db.lock"))
        await #expect { try await ledger.commit([try Sample.entry()]) } throws: {
            $0.isReplaced && "\($0)".contains("ledger.db.lock was removed")
        }
        await #expect { try await ledger.status() } throws: { $0.isReplaced }
        let next = try afterKill()
        defer { next.close() }
        #expect(try await next.status().auditCount == 1, "nothing is lost")
    }

    @Test("An idle writer finds a removed write-ahead log and saves its transactions")
    func removedWhileIdle() async throws {
        let ledger = try open(watchPeriod: 10)
        defer { ledger.close() }
        let spend = Sample.spend()
        #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.committed])
        try FileManager.default.removeItem(atPath: directory.path("ledger.db-wal"))
        for await fault in faults.events {
            #expect(fault.isFinal && "\(fault)".contains("was copied into the ledger's file"))
            break
        }
        let next = try afterKill()
        defer { next.close() }
        #expect(try await next.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
    }

    @Test("An exchanged write-ahead log stops acceptance, and the other log stays unchanged")
    func exchangedLog() async throws {
        let ledger = try open()
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        try move("ledger.db-wal", to: "away")
        let other = Data(repeating: 7, count: 5000)
        try other.write(to: URL(filePath: directory.path("ledger.db-wal")))
        await #expect { try await ledger.commit([try Sample.entry()]) } throws: {
            $0.isReplaced && "\($0)".contains("is another file than the one in use")
        }
        ledger.close()
        #expect(try Data(contentsOf: URL(filePath: directory.path("ledger.db-wal"))) == other)
    }

    @Test("An exchanged ledger is not used, and the same ledger is used when it is back")
    func exchangedLedger() async throws {
        let spend = Sample.spend()
        let ledger = try open()
        defer { ledger.close() }
        #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.committed])
        let files = ["ledger.db", "ledger.db-wal", "ledger.db-shm"]
        for file in files { try move(file, to: "away-" + file) }
        // A ledger with the same devices and no spent challenges.
        let another = try SQLiteLedger.open(path: directory.path("another.db"))
        _ = try await another.commit([try Sample.entry()])
        another.close()
        try move("another.db", to: "ledger.db")
        let before = try Data(contentsOf: URL(filePath: directory.path()))
        for _ in 0..<3 {
            await #expect { try await ledger.commit([try Sample.entry(spends: [spend])]) } throws: {
                $0.isReplaced && "\($0)".contains("is another file than the one that was opened")
            }
            await #expect { try await ledger.status() } throws: { $0.isReplaced }
        }
        #expect(try Data(contentsOf: URL(filePath: directory.path())) == before, "nothing was written into it")
        try FileManager.default.removeItem(atPath: directory.path())
        for file in files { try move("away-" + file, to: file) }
        #expect(
            try await ledger.commit([try Sample.entry(spends: [spend]), try Sample.entry()])
                == [.refused(.challengeReused), .committed])
        #expect(faults.all.count == 2 && faults.all.last == .over, "\(faults.all)")
    }

    @Test("The same ledger without its last commits is not used")
    func rolledBack() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let spend = Sample.spend()
        #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.committed])
        try move("ledger.db", to: "away.db")
        await #expect { try await ledger.commit([try Sample.entry()]) } throws: { $0.isReplaced }
        // Without its write-ahead log, which holds the last commits.
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: directory.path() + suffix) }
        try move("away.db", to: "ledger.db")
        for _ in 0..<2 {
            await #expect { try await ledger.commit([try Sample.entry(spends: [spend])]) } throws: {
                $0.isReplaced && "\($0)".contains("does not hold audit record 1")
            }
        }
        #expect(faults.all.last?.isFinal == true)
    }

    @Test("The end of the audit log is verified at the start", arguments: ["record", "head"], [1990, 2000])
    func auditEnd(_ column: String, _ number: Int) async throws {
        let ledger = try open()
        _ = try await ledger.commit(try (0..<2000).map { _ in try Sample.entry() })
        try await ledger.checkAuditEnd()
        ledger.close()
        try OtherConnection(directory.path()).execute(
            """
            UPDATE audit SET \(column) = CAST(
                substr(\(column), 1, 9) || CASE substr(\(column), 10, 1) WHEN x'FF' THEN x'7F' ELSE x'FF' END || substr(\(column), 11)
                AS BLOB)
            WHERE number = \(number)
            """)
        let damaged = try open()
        defer { damaged.close() }
        await #expect { try await damaged.checkAuditEnd() } throws: {
            if case .corrupt(let why) = $0 as? LedgerError { why.hasPrefix("audit record \(number) (changed)") } else { false }
        }
    }

    @Test("A short, shortened or empty audit log passes at the start")
    func shortAudit() async throws {
        let ledger = try open()
        defer { ledger.close() }
        try await ledger.checkAuditEnd()
        _ = try await ledger.commit(try (0..<10).map { _ in try Sample.entry() })
        try await ledger.checkAuditEnd()
        _ = try await ledger.trim(to: Retention(auditRows: 3))
        try await ledger.checkAuditEnd()
        _ = try await ledger.trim(to: Retention(auditRows: 0))
        try await ledger.checkAuditEnd()
    }

    @Test("A break in the audit log that is found later stops acceptance")
    func auditBreak() async throws {
        let ledger = try open()
        defer { ledger.close() }
        _ = try await ledger.commit(try (0..<10).map { _ in try Sample.entry() })
        try OtherConnection(directory.path()).execute("UPDATE audit SET time = time + 1 WHERE number = 7")
        #expect(try await ledger.trim(to: Retention(auditFrom: .distantFuture)).fault?.number == 7)
        await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry()]) }
        #expect(faults.all.count == 1 && "\(faults.all)".contains("audit record 7"))
    }
}
