import AssayCore
import Foundation
import Testing

@testable import AssaySQLite

@Suite("SQLite backend")
struct SQLiteBackendTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test("The disk space of a ledger is that of its file system, and unknown without a file")
    func space() throws {
        try Data("x".utf8).write(to: URL(filePath: directory.path()))
        let space = try #require(SQLiteBackend(path: directory.path()).space())
        #expect(space.capacity > 0 && space.free <= space.capacity)
        #expect(SQLiteBackend(path: directory.path("nowhere")).space() == nil)
    }

    @Test("A missing ledger is opened only if it may be created, and an open one is refused to others")
    func opens() async throws {
        let backend = SQLiteBackend(path: directory.path())
        #expect(!backend.exists)
        await #expect(throws: LedgerError.self) { _ = try await backend.open(mayCreate: false) { _ in } }
        #expect(!backend.exists)
        let ledger = try await backend.open(mayCreate: true) { _ in }
        #expect(backend.exists)
        #expect(try await !ledger.isDeclaredNew())
        try await ledger.declareNew()
        #expect(try await ledger.isDeclaredNew())
        await #expect {
            _ = try await backend.open(mayCreate: false) { _ in }
        } throws: {
            "\($0)".contains("is in use by process \(getpid())")
        }
        ledger.close()
        ledger.close()
        try await backend.open(mayCreate: false) { _ in }.close()
    }

    @Test("A ledger's file that others can read is an exposure")
    func exposure() async throws {
        let backend = SQLiteBackend(path: directory.path())
        try await backend.open(mayCreate: true) { _ in }.close()
        #expect(backend.exposure == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: directory.path())
        #expect(backend.exposure == LedgerExposure(path: directory.path(), mode: 0o640))
    }

    @Test("The audit log is read beside an open ledger")
    func audit() async throws {
        let backend = SQLiteBackend(path: directory.path())
        let ledger = try await backend.open(mayCreate: true) { _ in }
        defer { ledger.close() }
        _ = try await ledger.commit([try Sample.entry(), try Sample.entry()])
        var numbers: [Int64] = []
        try backend.readAudit { page in
            numbers += page.rows.map(\.number)
            return true
        }
        #expect(numbers == [1, 2])
    }
}
