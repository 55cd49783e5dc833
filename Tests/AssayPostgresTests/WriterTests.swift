import AssayAudit
import AssayCore
import AssayTesting
import Testing

@testable import AssayPostgres

@Suite("Audit chains of several writers", .needsServer, .serialized)
struct WriterTests {
    /// Two daemons on one database: three records of "w0", five of "w1".
    private func fleet() async throws -> Fleet {
        let fleet = try Fleet(2)
        _ = try await fleet[0].commit((0..<3).map { _ in try Sample.entry() })
        _ = try await fleet[1].commit((0..<5).map { try Sample.entry(time: Sample.now.adding(milliseconds: $0)) })
        return fleet
    }

    private func writer(_ name: String) throws -> AuditWriter { try #require(AuditWriter(named: name)) }

    /// The report over all chains, as the first daemon's configuration names the ledger.
    private func check(
        _ fleet: Fleet, heads: [String] = [], starts: [String] = []
    ) throws -> AuditLogReport {
        var expectations = try AuditExpectations()
        for head in heads { try expectations.expect(head) }
        for start in starts { try expectations.expectStart(start) }
        return try expectations.check(PostgresBackend(fleet.settings))
    }

    @Test("Each daemon reads both chains by the names of their writers, and its own without a name")
    func pages() async throws {
        let fleet = try await fleet()
        defer { fleet.close() }
        for (ledger, other) in [(fleet[0], fleet[1]), (fleet[1], fleet[0])] {
            let own = try await ledger.audit(from: 1, limit: 10)
            #expect(try await ledger.audit(of: own.writer, from: 1, limit: 10) == own)
            #expect(try await other.audit(of: own.writer, from: 1, limit: 10) == own)
        }
        #expect(try await fleet[0].audit(from: 1, limit: 10).rows.count == 3)
        let others = try #require(try await fleet[0].audit(of: try writer("w1"), from: 4, limit: 10))
        #expect(others.writer.name == "w1" && others.rows.map(\.number) == [4, 5] && others.last == 5)
        #expect(try await fleet[0].audit(of: try writer("w2"), from: 1, limit: 1) == nil)
    }

    @Test("The status lists both writers, its own first")
    func status() async throws {
        let fleet = try await fleet()
        defer { fleet.close() }
        let (first, second) = (try await fleet[0].status(), try await fleet[1].status())
        #expect(first.writer.name == "w0" && first.auditCount == 3)
        #expect(first.writers.map(\.writer.name) == ["w0", "w1"] && first.writers.map(\.end.number) == [3, 5])
        #expect(second.writers == first.writers.reversed())
        #expect(first.writers[1].end == second.auditEnd)
        #expect(first.writers[1].lastEntryAt == Sample.now.adding(milliseconds: 4))
        #expect(try await fleet[1].auditWriters().map(\.name) == ["w1", "w0"])
    }

    @Test("Claims are found by the writer of their record, and deleted in all chains")
    func claims() async throws {
        let fleet = try await fleet()
        defer { fleet.close() }
        let device = try Sample.device()
        _ = try await fleet[0].commit([try Sample.entry(registrations: [device])])
        let kept = AuditClaims(salt: [1], claims: [2])
        let record = AuditRecord(
            requestID: [1], caller: "c", app: try Sample.app(), purpose: .assert, device: device.id, assurance: .hardware,
            evidenceDigest: [], policyDigest: [], simulated: false, claimsDigest: kept.digest)
        _ = try await fleet[1].commit([LedgerEntry(time: Sample.now, spends: [], audit: record, auditClaims: kept)])
        let w1 = try writer("w1")
        #expect(try await fleet[0].auditClaims(of: 6) == nil)
        #expect(try await fleet[0].auditClaims(of: 6, by: w1) == kept)
        #expect(try await fleet[1].auditClaims(of: 6) == kept)
        #expect(try await fleet[0].forgetAuditClaims(of: device.id, app: device.app) == 1)
        #expect(try await fleet[1].auditClaims(of: 6) == nil)
        #expect(try await fleet[0].status().auditCount == 5, "the deletion is recorded by the daemon that was asked")
    }

    @Test("A check verifies all chains, and names each")
    func whole() async throws {
        let fleet = try await fleet()
        defer { fleet.close() }
        let heads = try await fleet[0].status().writers.map { "\(ExpectedAuditHead($0.end, of: $0.writer))" }
        let report = try check(fleet, heads: heads, starts: ["1", "w1/1"])
        #expect(report.isWhole && report.chains.map(\.writer.name) == ["w0", "w1"])
        for (name, head) in zip(["w0", "w1"], heads) {
            #expect(report.lines.contains("whole   \(name)") && report.lines.contains("  head       \(head)"))
        }
        let json = try #require(report.json["writers"] as? [[String: Any]])
        #expect(json.compactMap { $0["writer"] as? String } == ["w0", "w1"])
        #expect(json.compactMap { $0["last"] as? Int64 } == [3, 5])
    }

    @Test("A record of the other daemon that was changed is found")
    func changed() async throws {
        let fleet = try await fleet()
        defer { fleet.close() }
        _ = try fleet.settings.text(
            "UPDATE audit SET time = time + 1 FROM writers w WHERE w.writer = audit.writer AND w.name = 'w1' AND audit.number = 4 RETURNING ''"
        )
        let report = try check(fleet)
        #expect(!report.isWhole && report.chains.map(\.isWhole) == [true, false])
        #expect(report.chains[1].fault?.kind == .changed && report.chains[1].fault?.number == 4)
        #expect(report.lines.contains { $0.hasPrefix("BROKEN  w1: record 4") })
    }

    @Test("An end that was cut off the other chain is found by what its writer's row says")
    func cut() async throws {
        let fleet = try await fleet()
        defer { fleet.close() }
        _ = try fleet.settings.text(
            "DELETE FROM audit USING writers w WHERE w.writer = audit.writer AND w.name = 'w1' AND audit.number = 5 RETURNING ''"
        )
        let fault = try #require(try check(fleet).chains[1].fault)
        #expect(fault.kind == .truncated && fault.number == 5)
    }

    @Test("A chain that is gone is found where its writer is expected, and a head only in the chain of its writer")
    func missing() async throws {
        let fleet = try await fleet()
        defer { fleet.close() }
        let heads = try await fleet[0].status().writers.map { ExpectedAuditHead($0.end, of: $0.writer) }
        let swapped = try check(fleet, heads: ["w0/\(Hex.encode(heads[1].head)):5"])
        #expect(swapped.chains.map(\.isWhole) == [false, true])
        // Without a name it is of the writer that the configuration names.
        #expect(try check(fleet, heads: ["\(Hex.encode(heads[0].head)):3"], starts: ["1"]).isWhole)
        #expect(try check(fleet, starts: ["w1/2"]).chains.map(\.isWhole) == [true, false])
        _ = try fleet.settings.text("DELETE FROM writers WHERE name = 'w1' RETURNING ''")
        #expect(try check(fleet).isWhole, "nothing names the chain any more")
        for report in [try check(fleet, heads: ["\(heads[1])"]), try check(fleet, starts: ["w1/1"])] {
            #expect(!report.isWhole && report.chains.last?.fault?.kind == .writerMissing)
            #expect(report.chains.last?.writer.name == "w1" && report.chains.first?.isWhole == true)
        }
    }

    @Test("Old records of a writer without a daemon are dropped by another daemon, and those of a running one are not")
    func retention() async throws {
        let fleet = try Fleet(3)
        defer { fleet.close() }
        let now = Timestamp(
            unixMilliseconds: Int64(try fleet.settings.text("SELECT (extract(epoch FROM now()) * 1000)::bigint::text")) ?? 0)
        // The records are more than a year old. Only "w2" has noted its clock since.
        for index in 0..<3 { _ = try await fleet[index].commit((0..<4).map { _ in try Sample.entry() }) }
        try await fleet[2].keep(ClockMemory(believed: now, uptime: 1, aheadSince: nil))
        let before = try await fleet[1].audit(from: 1, limit: 10)
        let trimmed = try await fleet[0].trim(to: Retention(auditRows: 1))
        let start = AuditChain(number: 3, head: before.rows[2].head)
        #expect(trimmed.auditRows == 3 && trimmed.fault == nil)
        #expect(trimmed.others == [TrimmedChain(try writer("w1"), rows: 3, start: start, fault: nil)])
        let status = try await fleet[0].status()
        #expect(status.writers.map(\.start.number) == [3, 3, 0] && status.writers.map(\.end.number) == [4, 4, 4])
        #expect(try await fleet[0].trim(to: Retention(auditRows: 1)).others.isEmpty)
        _ = try await fleet[1].commit([try Sample.entry()])
        #expect(try check(fleet, starts: ["4", "w1/4", "w2/1"]).isWhole, "the writer goes on where its chain ended")
    }

    @Test("A break in the chain of a writer without a daemon is reported, and stops neither it nor the others")
    func brokenRetention() async throws {
        let fleet = try await fleet()
        defer { fleet.close() }
        _ = try fleet.settings.text(
            "UPDATE audit SET record = '' FROM writers w WHERE w.writer = audit.writer AND w.name = 'w1' AND audit.number = 3 RETURNING ''"
        )
        let trimmed = try await fleet[0].trim(to: Retention(auditRows: 0))
        #expect(trimmed.auditRows == 3 && trimmed.fault == nil)
        #expect(trimmed.others.map(\.rows) == [2] && trimmed.others.map(\.fault?.number) == [3])
        #expect(trimmed.others.first?.start.number == 2)
        #expect(try await fleet[0].commit([try Sample.entry()]) == [.committed])
    }

    @Test("A configuration with another writer's name verifies the same chains")
    func stranger() async throws {
        let fleet = try await fleet()
        defer { fleet.close() }
        let backend = PostgresBackend(fleet.settings.writer("auditor"))
        let report = try AuditExpectations().check(backend)
        #expect(report.isWhole && report.chains.map(\.writer.name) == ["w0", "w1"])
        var expectations = try AuditExpectations()
        try expectations.expectStart("1")
        #expect(try !expectations.check(backend).isWhole, "it has no chain of its own that could begin there")
    }
}
