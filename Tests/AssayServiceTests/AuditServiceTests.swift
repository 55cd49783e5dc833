import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import Testing

@Suite("Reading the audit log")
struct AuditServiceTests {
    /// Records of two apps by two callers, a second apart: number n at the opening plus n seconds.
    private func harness(_ count: Int64 = 10, callers: CallerDirectory? = nil) async throws -> ServiceHarness {
        let directory = callers ?? CallerDirectory(byUserID: [:], loopback: CallerDirectory.demo)
        let harness = try await ServiceHarness(callers: directory)
        for number in 1...count {
            let record = AuditRecord(
                requestID: [1], caller: number % 5 == 0 ? "fifth" : "usual", app: number % 2 == 0 ? .camera : .notes,
                purpose: .assert, device: nil, assurance: .hardware, evidenceDigest: [2], policyDigest: [3], simulated: false)
            let entry = LedgerEntry(time: ServiceHarness.opening.adding(milliseconds: number * 1000), spends: [], audit: record)
            _ = try await harness.ledger.commit([entry])
        }
        return harness
    }

    private func read(
        _ harness: ServiceHarness, peer: RPCPeer = ServiceHarness.loopback,
        _ fill: (inout Assay_V1_ReadAuditRequest) -> Void = { _ in }
    ) async throws -> Assay_V1_ReadAuditResponse {
        var request = Assay_V1_ReadAuditRequest()
        fill(&request)
        return try await harness.call(API.readAudit, request, peer: peer)
    }

    @Test("gives rows as they are chained, and where to go on")
    func pages() async throws {
        let harness = try await harness()
        let first = try await read(harness) { $0.limit = 4 }
        #expect(first.rows.map(\.number) == [1, 2, 3, 4] && first.next == 5 && first.last == 10)
        #expect(first.startNumber == 0 && first.startHead == Data(count: 32))
        let rest = try await read(harness) { $0.from = first.next }
        #expect(rest.rows.map(\.number) == Array(5...10) && rest.next == 11)
        var verifier = AuditVerifier(from: AuditChain())
        for row in first.rows + rest.rows { verifier.take(AuditRow(row)) }
        #expect(verifier.finish() == nil && verifier.chain.number == 10)
        let end = try await read(harness) { $0.from = 11 }
        #expect(end.rows.isEmpty && end.next == 11)
        let beyond = try await read(harness) { $0.from = .max }
        #expect(beyond.rows.isEmpty && beyond.next == .max && beyond.last == 10)
        let empty = try await ServiceHarness()
        #expect(try await read(empty).rows.isEmpty)
    }

    @Test("looks at no more rows than it is asked to, whatever the filters let through")
    func filters() async throws {
        let harness = try await harness()
        let camera = try await read(harness) { ($0.app, $0.limit) = ("camera", 5) }
        #expect(camera.rows.map(\.number) == [2, 4] && camera.next == 6)
        #expect(try await read(harness) { $0.caller = "fifth" }.rows.map(\.number) == [5, 10])
        #expect(try await read(harness) { ($0.caller, $0.app) = ("fifth", "notes") }.rows.map(\.number) == [5])
        #expect(try await read(harness) { $0.deviceID = Data(count: 16) }.rows.isEmpty)
        #expect(try await read(harness) { $0.app = "long-gone" }.rows.isEmpty)
    }

    @Test("begins near a time, and gives nothing older")
    func since() async throws {
        let harness = try await harness(300)
        let time = ServiceHarness.opening.adding(milliseconds: 200_000).unixMilliseconds
        let questions = harness.ledger.asked(.audit)
        let page = try await read(harness) { ($0.sinceUnixMs, $0.limit) = (time, 70) }
        // A minute earlier, for what was recorded out of order.
        #expect(page.rows.map(\.number) == Array(200...209) && page.next == 210)
        #expect(harness.ledger.asked(.audit) - questions < 20)
        #expect(try await read(harness) { $0.sinceUnixMs = 1 }.rows.count == 300)
        let future = ServiceHarness.opening.adding(milliseconds: 86_400_000).unixMilliseconds
        #expect(try await read(harness) { $0.sinceUnixMs = future }.rows.isEmpty)
        #expect(try await read(harness) { ($0.sinceUnixMs, $0.from) = (time, 199) }.rows.first?.number == 200)
    }

    @Test("shows a caller with some apps the records of these")
    func someApps() async throws {
        let caller = Caller(name: "watcher", roles: [.observe], apps: [.notes])
        let harness = try await harness(callers: CallerDirectory(byUserID: [7: caller]))
        let peer = RPCPeer.unix(userID: 7, groupID: 1, processID: 1)
        #expect(try await read(harness, peer: peer).rows.map(\.number) == [1, 3, 5, 7, 9])
        #expect(try await read(harness, peer: peer) { $0.app = "notes" }.rows.count == 5)
        await #expect(throws: RPCError(.permissionDenied, "the caller may not do this", reason: "permission_denied")) {
            _ = try await read(harness, peer: peer) { $0.app = "camera" }
        }
    }

    @Test("answers in frames of any size that a peer may have")
    func answerSize() async throws {
        let harness = try await ServiceHarness()
        let record = AuditRecord(
            requestID: [], caller: String(repeating: "c", count: 20_000), app: .camera, purpose: .assert, device: nil,
            assurance: .hardware, evidenceDigest: [], policyDigest: [], simulated: false)
        _ = try await harness.ledger.commit(
            (0..<5).map { _ in LedgerEntry(time: ServiceHarness.opening, spends: [], audit: record) })
        let first = try await read(harness)
        #expect(first.rows.count == 2 && first.next == 3)
        #expect(try await read(harness) { $0.from = 5 }.rows.count == 1)
    }

    @Test("gives the chain of the writer that the request names, and the daemon's own where it names none")
    func writers() async throws {
        let (own, other) = (try #require(AuditWriter(named: "w0")), try #require(AuditWriter(named: "w1")))
        let memory = MemoryLedger(writer: own)
        let harness = try await ServiceHarness(ledger: WatchedLedger(memory))
        let change = AuditChange.configurationLoad([1], version: "1", by: .start)
        try await memory.record(change, at: ServiceHarness.opening)
        for second in 1...300 as ClosedRange<Int64> {
            memory.append(change.bytes, at: ServiceHarness.opening.adding(milliseconds: second * 1000), by: other)
        }
        for name in ["", "w0"] {
            let page = try await read(harness) { $0.writer = name }
            #expect(page.rows.count == 1 && page.last == 1 && page.writer == "w0", "\(name)")
        }
        let page = try await read(harness) { ($0.writer, $0.from) = ("w1", 299) }
        #expect(page.rows.map(\.number) == [299, 300] && page.last == 300 && page.next == 301 && page.writer == "w1")
        let late = ServiceHarness.opening.adding(milliseconds: 200_000).unixMilliseconds
        #expect(try await read(harness) { ($0.writer, $0.sinceUnixMs) = ("w1", late) }.rows.first?.number == 200)
        let absent = await #expect(throws: RPCError.self) { _ = try await read(harness) { $0.writer = "w2" } }
        #expect(absent?.code == .notFound && absent?.reason == "unknown_writer")
        for name in ["W1", "w1/", String(repeating: "w", count: 65)] {
            let bad = await #expect(throws: RPCError.self) { _ = try await read(harness) { $0.writer = name } }
            #expect(bad?.code == .invalidArgument && bad?.message.contains("writer") == true, "\(name)")
        }
    }

    @Test("says what is wrong with a request, and with the ledger")
    func errors() async throws {
        let harness = try await harness()
        let badDevice = await #expect(throws: RPCError.self) { _ = try await read(harness) { $0.deviceID = Data([1]) } }
        #expect(badDevice?.code == .invalidArgument && badDevice?.message.contains("device_id") == true)
        let badApp = await #expect(throws: RPCError.self) { _ = try await read(harness) { $0.app = "No App" } }
        #expect(badApp?.code == .invalidArgument)
        harness.ledger.fail(.audit, with: .unavailable("test"))
        let outage = await #expect(throws: RPCError.self) { _ = try await read(harness) }
        #expect(outage?.code == .unavailable && outage?.reason == "ledger_unavailable")
    }
}
