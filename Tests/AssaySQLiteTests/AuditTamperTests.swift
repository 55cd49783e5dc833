import AssayCore
import AssaySQLite
import Foundation
import Testing

@Suite("Tampering with the audit log")
struct AuditTamperTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// A ledger of 20 records with something done to it, and what is found then. The last head is the one before.
    private func tamper(_ sql: String, expecting: Bool = false) async throws -> AuditFault? {
        let ledger = try SQLiteLedger.open(path: directory.path())
        _ = try await ledger.commit(try (0..<20).map { try Sample.entry(time: Sample.now.adding(milliseconds: $0)) })
        let status = try await ledger.status()
        ledger.close()
        #expect(try AuditWalk.isUnbroken(directory.path()))
        try OtherConnection(directory.path()).execute(sql)
        let head = ExpectedAuditHead(AuditChain(number: status.auditCount, head: status.auditHead))
        return try AuditWalk.fault(directory.path(), expecting: expecting ? [head] : [])
    }

    @Test("is found where a byte of a row is changed", arguments: ["record", "head"])
    func changed(_ column: String) async throws {
        let fault = try await tamper(
            "UPDATE audit SET \(column) = CAST(substr(\(column), 1, 9) || x'FF' || substr(\(column), 11) AS BLOB) WHERE number = 7"
        )
        #expect(fault?.kind == .changed && fault?.number == 7, "\(String(describing: fault))")
        #expect(fault?.detail == "its \(column == "head" ? "head" : "record or time") is not what was chained")
    }

    @Test("is found where a time is changed")
    func changedTime() async throws {
        let fault = try await tamper("UPDATE audit SET time = time + 1 WHERE number = 20")
        #expect(fault?.kind == .changed && fault?.number == 20)
    }

    @Test("is found where a row is deleted")
    func deleted() async throws {
        let fault = try await tamper("DELETE FROM audit WHERE number = 12")
        #expect(fault?.kind == .missing && fault?.number == 12)
    }

    @Test("is found where two rows are swapped")
    func swapped() async throws {
        let fault = try await tamper(
            """
            UPDATE audit SET number = -1 WHERE number = 4; UPDATE audit SET number = 4 WHERE number = 5;
            UPDATE audit SET number = 5 WHERE number = -1;
            """)
        #expect(fault?.kind == .reordered && fault?.number == 4)
    }

    @Test("is found where rows are put before the first")
    func prepended() async throws {
        let fault = try await tamper("INSERT INTO audit SELECT number - 20, time, record, head FROM audit WHERE number = 1")
        #expect(fault?.kind == .repeated && fault?.number == -19)
    }

    @Test("is found where the tail is cut, by the head that was kept, and only by it")
    func truncated() async throws {
        #expect(try await tamper("DELETE FROM audit WHERE number > 15") == nil)
    }

    @Test("is found where the tail is cut and a head was kept")
    func truncatedWithHead() async throws {
        let fault = try await tamper("DELETE FROM audit WHERE number > 15", expecting: true)
        #expect(fault?.kind == .truncated && fault?.number == 16)
    }

    @Test("is found where the front is cut as if it had been dropped, unless the cut fits the chain")
    func cutFront() async throws {
        let fault = try await tamper("DELETE FROM audit WHERE number <= 3; UPDATE audit_start SET number = 3")
        #expect(fault?.kind == .changed && fault?.number == 4)
    }

    @Test("is not what verifying does: every byte of the file and of its log stays")
    func untouched() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        _ = try await ledger.commit(try (0..<20).map { _ in try Sample.entry() })
        // What a copy of a running daemon's files is, or what a crash leaves.
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

    @Test("keeps the front of the log from being dropped")
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
