import AssayCore
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Owner of a ledger", .timeLimit(.minutes(2)))
struct LedgerLockTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func complaint() -> String? {
        do throws(LedgerError) {
            try SQLiteLedger.open(path: directory.path()).close()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("is one: a second open is refused with the process id, and the first goes on")
    func second() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let told = try #require(complaint())
        #expect(told.contains("\(directory.path()) is in use by process \(getpid()) ("), "\(told)")
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path("ledger.db.lock"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("is found by every name of the file")
    func link() throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link.db"), withDestinationPath: directory.path())
        #expect { try SQLiteLedger.open(path: directory.path("link.db")) } throws: { "\($0)".contains("is in use by") }
    }

    @Test("is refused to a file with two names: each would have a log and a lock of its own")
    func hardLinks() throws {
        try SQLiteLedger.open(path: directory.path()).close()
        try FileManager.default.linkItem(atPath: directory.path(), toPath: directory.path("other.db"))
        #expect(try #require(complaint()).contains("has 2 names (hard links)"))
        try FileManager.default.removeItem(atPath: directory.path("other.db"))
        #expect(complaint() == nil)
    }

    @Test("gives it up when it closes, again and again")
    func closed() throws {
        for _ in 0..<3 { try SQLiteLedger.open(path: directory.path()).close() }
        #expect(complaint() == nil)
    }

    @Test("gives it up when it does not get far")
    func failed() throws {
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: directory.path()))
        for _ in 0..<2 { #expect(try #require(complaint()).contains("damaged")) }
    }

    @Test("is named while it lives and forgotten when it is killed")
    func killed() async throws {
        let child = Process()
        child.executableURL = try DurabilityTests.child()
        child.arguments = [directory.path()]
        let pipe = Pipe()
        child.standardOutput = pipe
        try child.run()
        defer { kill(child.processIdentifier, SIGKILL) }
        // It has the ledger by the time it says something.
        _ = pipe.fileHandleForReading.availableData
        let told = try #require(complaint())
        #expect(told.contains("process \(child.processIdentifier) (") && told.contains("ledger-crash-child"), "\(told)")
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        #expect(complaint() == nil)
    }

    @Test("is not needed for reading the audit log")
    func looking() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        _ = try await ledger.commit([try Sample.entry()])
        #expect(try AuditWalk.isUnbroken(directory.path()))
    }

    @Test("is not looked for where there is no ledger and none may be made")
    func missing() throws {
        var options = LedgerOptions()
        options.mayCreate = false
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(path: directory.path(), options: options) }
        #expect(!FileManager.default.fileExists(atPath: directory.path()))
    }
}
