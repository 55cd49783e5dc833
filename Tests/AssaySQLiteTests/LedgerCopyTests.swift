import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Backup and restore of a ledger's file")
struct LedgerCopyTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// A ledger with a device, a challenge key and so many verdicts.
    private func ledger(_ name: String = "ledger.db", verdicts: Int = 3) async throws -> SQLiteLedger {
        let ledger = try SQLiteLedger.open(path: directory.path(name))
        _ = try await ledger.add(WrappedSecret(name: "challenge", number: 1, wrapped: [1, 2, 3], createdAt: Sample.now))
        let device = try Sample.device()
        try #require(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        for _ in 1..<max(1, verdicts) { try #require(try await ledger.commit([Sample.entry()]) == [.committed]) }
        return ledger
    }

    /// A copy of the ledger, made beside it.
    @discardableResult
    private func copy(
        _ name: String = "ledger.db", to copy: String = "copy.db", progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> String {
        let path = directory.path(copy)
        #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]))
        try LedgerCopy.make(of: directory.path(name), .ledger, into: path, progress: progress)
        return path
    }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() }

    private func restore(
        _ backup: String, _ check: (LedgerContentSummary) throws -> Void = { _ in }
    ) async throws -> LedgerContentSummary {
        try await LedgerRestore.run(backup, into: directory.path("restored.db"), check: check) { ledger in
            try await ledger.removeSecret(name: "challenge", number: 1)
        }.content
    }

    private func message(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "nothing"
        } catch {
            return "\(error)"
        }
    }

    @Test("A copy is the ledger of one instant, although another process commits between its steps")
    func instant() async throws {
        let ledger = try await ledger()
        defer { ledger.close() }
        let other = try OtherConnection(directory.path())
        try other.execute("INSERT INTO audit_claims VALUES (900, NULL, 'test', x'', randomblob(40000000))")
        var steps: [(done: Int, total: Int)] = []
        let path = try copy { done, total in
            steps.append((done, total))
            #expect(throws: Never.self) { try other.execute("INSERT INTO meta VALUES ('late\(done)', 1)") }
        }
        #expect(steps.count > 3 && steps.map(\.done) == steps.map(\.done).sorted(), "no step begins from the start: \(steps)")
        #expect(Set(steps.map(\.total)).count == 1 && steps.last.map { $0.done == $0.total } == true)
        let content = try LedgerCopy.inspect(path)
        #expect(content.auditEnd.number == 3 && content.devices == 1 && content.lastRecordAt == Sample.now)
        #expect(content.secrets.map(\.name) == ["challenge"] && content.schema == Int64(Schema.migrations.count))
        #expect(!(try files()).contains { $0.hasPrefix("copy.db-") }, "nothing is left beside the copy")
        let late = "SELECT count(*) FROM meta WHERE name LIKE 'late%'"
        #expect(try other.text(late) == "\(steps.count)")
        #expect(try OtherConnection(path).text(late) == "0")
    }

    @Test("The revocation lists of a restored ledger are not given out any more, and later ones are kept")
    func passedLists() async throws {
        func list(_ number: Int64, issuer: UInt8) -> StoredRevocationList {
            StoredRevocationList(
                issuer: [issuer], number: number, thisUpdate: Sample.now, nextUpdate: Sample.expiry, revocationCount: 4,
                der: [1])
        }
        let ledger = try await ledger()
        for issuer in [1, 2] as [UInt8] { #expect(try await ledger.keep(list(7, issuer: issuer))) }
        let path = try copy()
        ledger.close()
        _ = try await LedgerRestore.run(path, into: directory.path("restored.db"), check: { _ in }) { ledger in
            try await ledger.skipLostPublications()
        }
        let restored = try SQLiteLedger.open(path: directory.path("restored.db"))
        defer { restored.close() }
        for issuer in [1, 2] as [UInt8] {
            let kept = try #require(try await restored.revocationList(of: [issuer]))
            #expect(kept.number == 7 && kept.revocationCount == StoredRevocationList.passed)
        }
        #expect(try await restored.keep(list(8, issuer: 1)))
        #expect(try await restored.revocationList(of: [1]) == list(8, issuer: 1))
    }

    @Test("A damaged copy is recognised, wherever the damage is")
    func damage() async throws {
        let ledger = try await ledger(verdicts: 200)
        let path = try copy()
        ledger.close()
        let whole = try Data(contentsOf: URL(filePath: path))
        #expect(throws: Never.self) { try LedgerCopy.inspect(path) }
        var found = 0
        let pages = whole.count / 4096
        for page in 0..<pages {
            var bytes = whole
            // The header of the page, or of the file.
            for index in 0..<24 { bytes[page * 4096 + index] ^= 0x55 }
            try bytes.write(to: URL(filePath: path))
            if (try? LedgerCopy.inspect(path)) == nil { found += 1 } else { print("page \(page) is unused") }
        }
        #expect(pages > 20 && found == pages, "\(found) of \(pages)")
        try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
        #expect(await message { _ = try LedgerCopy.inspect(path) }.contains("damaged"))
        try whole.write(to: URL(filePath: path))
        try OtherConnection(path).execute("UPDATE audit SET time = time + 1 WHERE number = 7")
        #expect(await message { _ = try LedgerCopy.inspect(path) }.contains("the audit log: record 7"))
    }

    @Test(
        "A file of another program, of a newer version, an empty one and a missing one are not restored, and the store stays empty"
    )
    func others() async throws {
        let path = directory.path("other.db")
        func restoring() async -> String { await message { _ = try await restore(path) } }
        #expect(await restoring().contains("there is no such file"))
        try Data().write(to: URL(filePath: path))
        #expect(await restoring().contains("it has no audit log"))
        try Data(repeating: 7, count: 9000).write(to: URL(filePath: path))
        #expect(await restoring().contains("not a database"))
        try FileManager.default.removeItem(atPath: path)
        try OtherConnection(path).execute("CREATE TABLE others (a)")
        #expect(await restoring().contains("the file is no Assay ledger"))
        try FileManager.default.removeItem(atPath: path)
        let ledger = try await ledger()
        ledger.close()
        _ = try copy(to: "other.db")
        try OtherConnection(path).execute("PRAGMA user_version=\(Schema.migrations.count + 1)")
        #expect(await restoring().contains("is newer than \(Schema.migrations.count), the newest known here"))
        let left = try files()
        #expect(!left.contains { $0.hasPrefix("restored.db") && !$0.hasSuffix(".lock") }, "\(left)")
    }

    @Test("A restored ledger has everything but what its preparation removed, and is its owner's only")
    func restored() async throws {
        let ledger = try await ledger()
        let end = try await ledger.status().auditEnd
        let path = try copy()
        ledger.close()
        #expect(chmod(path, 0o400) == 0)
        let before = try Data(contentsOf: URL(filePath: path))
        let content = try await restore(path)
        #expect(content.auditEnd == end && content.secrets.count == 1)
        #expect(try Data(contentsOf: URL(filePath: path)) == before && !(try files()).contains { $0.hasPrefix("copy.db-") })
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path("restored.db"))[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        #expect(try files().filter { $0.hasPrefix("restored.db") } == ["restored.db", "restored.db.lock"])
        let opened = try SQLiteLedger.open(path: directory.path("restored.db"))
        defer { opened.close() }
        #expect(try await opened.status().auditEnd == end)
        #expect(try await opened.secrets().isEmpty)
        try await opened.checkAuditEnd()
        #expect(await message { _ = try await restore(path) }.contains("is in use by"), "its owner has it")
    }

    @Test("A backup is restored into an empty ledger, never over records, and never beside the log of another ledger")
    func emptyOnly() async throws {
        try await ledger().close()
        let path = try copy()
        let place = directory.path("restored.db")
        let new = try SQLiteLedger.open(path: place)
        try await new.declareNew()
        new.close()
        _ = try await restore(path)
        #expect(await message { _ = try await restore(path) }.contains("is not empty"))
        #expect(try LedgerCopy.inspect(place).auditEnd.number == 3)
        try FileManager.default.removeItem(atPath: place)
        try Data(repeating: 1, count: 100).write(to: URL(filePath: place + "-wal"))
        #expect(await message { _ = try await restore(path) }.contains("exists without its ledger"))
        #expect(!FileManager.default.fileExists(atPath: place))
    }

    @Test("A preparation or a check that fails leaves the store as it was, and so does a draft of a process that was killed")
    func failing() async throws {
        struct Refused: Error {}
        try await ledger().close()
        let path = try copy()
        let place = directory.path("restored.db")
        for suffix in ["", "-wal", "-shm", ".lock"] {
            try Data("left by a killed process".utf8).write(to: URL(filePath: place + LedgerRestore.draftSuffix + suffix))
        }
        await #expect(throws: Refused.self) { try await restore(path) { _ in throw Refused() } }
        await #expect(throws: Refused.self) {
            try await LedgerRestore.run(path, into: place, check: { _ in }) { _ in throw Refused() }
        }
        #expect(try files().filter { $0.hasPrefix("restored.db") } == ["restored.db.lock"])
        #expect(try await restore(path).devices == 1)
    }
}
