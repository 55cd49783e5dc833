import AssayCore
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Content of a ledger's file")
struct LedgerContentTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private var content: LedgerContent? { LedgerContent(of: directory.path()) }

    /// A ledger's file whose bytes at an offset are others.
    private func header(_ bytes: [UInt8] = [], at offset: Int = 0) throws -> LedgerContent {
        if !FileManager.default.fileExists(atPath: directory.path()) { try SQLiteLedger.open(path: directory.path()).close() }
        var file = [UInt8](try Data(contentsOf: URL(filePath: directory.path()))).prefix(105)
        file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return LedgerContent(header: file, logIsEmpty: true)
    }

    @Test("The content is empty before the first opening and a ledger after it")
    func ledger() throws {
        #expect(content == nil)
        try Data().write(to: URL(filePath: directory.path()))
        #expect(content == .empty)
        try SQLiteLedger.open(path: directory.path()).close()
        #expect(content == .ledger)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(files.sorted() == ["ledger.db", "ledger.db.lock"], "looking makes no files")
    }

    @Test("A database without tables is empty, unless its log has more")
    func noTables() throws {
        let other = try OtherConnection(directory.path())
        try other.execute("PRAGMA journal_mode=WAL")
        #expect(content == .empty)
        try other.execute("PRAGMA application_id=\(Schema.applicationID); CREATE TABLE some (x)")
        #expect(content == .ledger)
    }

    @Test("Another program's database is not a ledger, also while the program writes")
    func foreign() throws {
        let other = try OtherConnection(directory.path())
        try other.execute("CREATE TABLE theirs (x)")
        #expect(content == .unusable("is no Assay ledger, but another program's database (application id 0)"))
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(path: directory.path()) }
    }

    @Test("A newer schema is of a newer version")
    func newer() throws {
        let newest = UInt8(Schema.migrations.count)
        #expect(try header([0, 0, 0, newest], at: 60) == .ledger)
        #expect(
            try header([0, 0, 0, newest + 1], at: 60)
                == .unusable(
                    "is the ledger of a newer version (schema version \(newest + 1); the newest known here is \(newest))"))
    }

    @Test("A header that SQLite refuses makes the file unusable", arguments: [0, 15, 16, 18, 19, 21, 22, 23, 68, 71])
    func header(_ offset: Int) throws {
        #expect(try header() == .ledger)
        guard case .unusable = try header([0xEE], at: offset) else {
            Issue.record("byte \(offset) does not matter")
            return
        }
        // The version for writing alone (18) makes the file read-only: SQLite says so with the first write.
        guard offset != 18 else { return }
        let handle = try FileHandle(forUpdating: URL(filePath: directory.path()))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data([0xEE]))
        try handle.close()
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(path: directory.path()) }
    }

    @Test("A file that ends within the header is never a ledger")
    func short() throws {
        try SQLiteLedger.open(path: directory.path()).close()
        let file = [UInt8](try Data(contentsOf: URL(filePath: directory.path())))
        for length in 1..<105 {
            #expect(LedgerContent(header: file[..<length], logIsEmpty: true) == .unusable("is no SQLite database"))
        }
        try Data(file[..<60]).write(to: URL(filePath: directory.path()))
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(path: directory.path()) }
    }
}
