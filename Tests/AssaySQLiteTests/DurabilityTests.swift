import AssayCore
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Durability")
struct DurabilityTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test("Every connection uses the write-ahead log and synchronous=FULL")
    func settings() throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        // Writer, readers and checkpointer get their connections like this.
        let connection = try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
        #expect(try connection.integer("PRAGMA synchronous") == 2)
        #expect(try connection.text("PRAGMA journal_mode") == "wal")
        #expect(try connection.integer("PRAGMA foreign_keys") == 1)
        #expect(try connection.integer("PRAGMA wal_autocheckpoint") == 0)
        #expect(try connection.integer("PRAGMA auto_vacuum") == 0)
        #expect(try connection.integer("PRAGMA application_id") == Schema.applicationID)
    }

    @Test("The write-ahead log is synced between each request and its accepted reply")
    func syncPerCommit() async throws {
        let vfs = try FaultVFS()
        var options = LedgerOptions()
        options.vfs = vfs.name
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        for _ in 0..<20 {
            let before = vfs.walSyncs
            #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
            #expect(vfs.walSyncs > before)
        }
        let before = vfs.walSyncs
        _ = try await ledger.add(WrappedSecret(name: "n", number: 1, wrapped: [1], createdAt: Sample.now))
        #expect(vfs.walSyncs > before)
    }

    @Test("Under group commit each accepted reply follows a sync, and entries share syncs")
    func syncPerGroup() async throws {
        let vfs = try FaultVFS()
        var options = LedgerOptions()
        options.vfs = vfs.name
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        let start = vfs.walSyncs
        let unsynced = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<2000 {
                group.addTask {
                    let before = vfs.walSyncs
                    let outcomes = try await ledger.commit([try Sample.entry()])
                    return outcomes != [.committed] || vfs.walSyncs <= before
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(unsynced == 0)
        #expect(vfs.walSyncs - start < 2000, "2000 commits shared \(vfs.walSyncs - start) syncs")
    }

    @Test("SIGKILL under load loses nothing accepted and makes nothing spent fresh", arguments: 1...3)
    func kill(_ round: Int) async throws {
        let path = directory.path()
        let accepted = try Self.runUntilKilled(path, lines: 300 * round)
        try #require(accepted.count >= 300 * round)

        let ledger = try SQLiteLedger.open(path: path)
        defer { ledger.close() }
        #expect(try AuditWalk.isUnbroken(path))
        #expect(try OtherConnection(path).text("PRAGMA integrity_check") == "ok")
        for number in accepted {
            let name = [UInt8](repeating: 0, count: 8) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
            let id = try #require(DeviceID(bytes: name))
            #expect(try await ledger.device(id)?.counter == 1)
            var second = name
            second[0] = 0x80
            for token in [name, second] {
                let spend = spend(token)
                #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
            }
            let advance = LedgerEntry.Advance(device: id, counter: 1, rule: .strictlyIncreasing)
            #expect(try await ledger.commit([try Sample.entry(advances: [advance])]) == [.refused(.counterNotIncreasing)])
        }
        // Entries in flight are applied in full or not at all: there is a device for each token that registered one.
        let other = try OtherConnection(path)
        let tokens = "SELECT count(*) FROM \(SpentBucket(spend([]), at: Sample.now).table)"
        let devices = Int64(try other.text("SELECT count(*) FROM devices")) ?? -1
        let advanced = Int64(try other.text("SELECT count(*) FROM counters WHERE counter = 1")) ?? -1
        #expect(try other.text(tokens) == "\(devices + advanced)")
        #expect(try other.text("SELECT count(*) FROM audit") == "\(devices + advanced)")
        #expect(try await ledger.status().devices == devices)
    }

    /// The tokens as the child spends them.
    private func spend(_ token: [UInt8]) -> LedgerEntry.Spend {
        LedgerEntry.Spend(token: token, expiry: Sample.expiry, expiryIsFixed: true)
    }

    /// Runs the child until it has printed a number of lines, kills it, and returns all numbers that it printed.
    private static func runUntilKilled(_ path: String, lines: Int) throws -> [UInt64] {
        let process = Process()
        process.executableURL = try child()
        process.arguments = [path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        defer { Foundation.kill(process.processIdentifier, SIGKILL) }
        // A hanging child must not block the tests: its end of the pipe closes with it.
        let pid = process.processIdentifier
        let watchdog = DispatchWorkItem { Foundation.kill(pid, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
        var said: [UInt8] = []
        while said.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            said += more
        }
        Foundation.kill(pid, SIGKILL)
        // The lines that it printed before it was killed are still in the pipe.
        said += pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        watchdog.cancel()
        return String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { UInt64($0) }
    }

    /// The child's executable is beside that of the tests.
    static func child() throws -> URL {
        let tests = try #require(
            CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? Bundle.allBundles.first?.bundlePath)
        let url = URL(filePath: tests).deletingLastPathComponent().appending(path: "ledger-crash-child")
        try #require(FileManager.default.isExecutableFile(atPath: url.path), "no ledger-crash-child beside \(tests)")
        return url
    }
}
