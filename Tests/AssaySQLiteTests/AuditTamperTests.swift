import AssayCore
import AssaySQLite
import Foundation
import Testing

@Suite("Tampering with the audit log")
struct AuditTamperTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// The fault that is found in a ledger of 20 records after `change`. The last head is the one before.
    private func tamper(_ sql: String, expecting: Bool = false) async throws -> AuditError? {
        let ledger = try SQLiteLedger.open(path: directory.path())
        _ = try await ledger.commit(try (0..<20).map { try Sample.entry(time: Sample.now.adding(milliseconds: $0)) })
        let status = try await ledger.status()
        ledger.close()
        #expect(try AuditWalk.isUnbroken(directory.path()))
        try OtherConnection(directory.path()).execute(sql)
        let head = ExpectedAuditHead(AuditChain(number: status.auditCount, head: status.auditHead))
        return try AuditWalk.fault(directory.path(), expecting: expecting ? [head] : [])
    }

    @Test("A changed byte in a row of the audit log is found", arguments: ["record", "head"])
    func changed(_ column: String) async throws {
        // Heads are random bytes: the tenth is FF in one of 256.
        let fault = try await tamper(
            """
            UPDATE audit SET \(column) = CAST(
                substr(\(column), 1, 9) || CASE substr(\(column), 10, 1) WHEN x'FF' THEN x'7F' ELSE x'FF' END
                || substr(\(column), 11) AS BLOB)
            WHERE number = 7
            """)
        #expect(fault?.kind == .changed && fault?.number == 7, "\(String(describing: fault))")
        #expect(fault?.detail == "its \(column == "head" ? "head" : "record or time") is not what was chained")
    }

    @Test("A changed time in the audit log is found")
    func changedTime() async throws {
        let fault = try await tamper("UPDATE audit SET time = time + 1 WHERE number = 20")
        #expect(fault?.kind == .changed && fault?.number == 20)
    }

    @Test("A deleted row of the audit log is found")
    func deleted() async throws {
        let fault = try await tamper("DELETE FROM audit WHERE number = 12")
        #expect(fault?.kind == .missing && fault?.number == 12)
    }

    @Test("Swapped rows of the audit log are found")
    func swapped() async throws {
        let fault = try await tamper(
            """
            UPDATE audit SET number = -1 WHERE number = 4; UPDATE audit SET number = 4 WHERE number = 5;
            UPDATE audit SET number = 5 WHERE number = -1;
            """)
        #expect(fault?.kind == .reordered && fault?.number == 4)
    }

    @Test("Rows inserted before the first of the audit log are found")
    func prepended() async throws {
        let fault = try await tamper("INSERT INTO audit SELECT number - 20, time, record, head FROM audit WHERE number = 1")
        #expect(fault?.kind == .repeated && fault?.number == -19)
    }

    @Test("A cut tail of the audit log is found only with a head that was kept")
    func truncated() async throws {
        #expect(try await tamper("DELETE FROM audit WHERE number > 15") == nil)
    }

    @Test("A cut tail of the audit log is found with any head that was kept")
    func truncatedWithHead() async throws {
        let fault = try await tamper("DELETE FROM audit WHERE number > 15", expecting: true)
        #expect(fault?.kind == .truncated && fault?.number == 16)
    }

    @Test("A cut front of the audit log is found unless the cut fits the chain")
    func cutFront() async throws {
        let fault = try await tamper("DELETE FROM audit WHERE number <= 3; UPDATE audit_start SET number = 3")
        #expect(fault?.kind == .changed && fault?.number == 4)
    }

    @Test("Verifying the audit log changes no byte of the file or its write-ahead log")
    func untouched() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        _ = try await ledger.commit(try (0..<20).map { _ in try Sample.entry() })
        // The state of a copy of a running daemon's files, or of the files after a crash.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: directory.path() + suffix, toPath: directory.path("copy.db") + suffix)
        }
        func bytes() throws -> [Data] {
            try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: directory.path("copy.db") + $0)) }
        }
        let before = try bytes()
        try #require(before[1].count > 4096)
        var count = 0
        try AuditFile.read(directory.path("copy.db")) { page in
            count += page.rows.count
            return true
        }
        #expect(count == 20)
        #expect(try bytes() == before)
    }

    @Test("A tampered front of the audit log is not dropped")
    func notDropped() async throws {
        _ = try await tamper("UPDATE audit SET time = time + 1 WHERE number = 7")
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let trimmed = try await ledger.trim(to: Retention(auditFrom: .distantFuture))
        #expect(trimmed.auditRows == 6 && trimmed.fault?.number == 7 && trimmed.fault?.kind == .changed)
        let again = try await ledger.trim(to: Retention(auditFrom: .distantFuture))
        #expect(again.auditRows == 0 && again.fault == trimmed.fault)
        #expect(try await ledger.audit(from: 1, limit: 100).rows.first?.number == 7)
    }
}
