import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import SwiftProtobuf
import Testing

@Suite("Status")
struct StatusTests {
    private func status(_ harness: ServiceHarness, peer: RPCPeer = ServiceHarness.loopback) async throws
        -> Assay_V1_StatusResponse
    {
        try await harness.call(API.status, Assay_V1_StatusRequest(), peer: peer)
    }

    @Test("says what runs, since when, under which anchors")
    func facts() async throws {
        let harness = try await ServiceHarness()
        harness.clock.advance(milliseconds: 5000)
        let status = try await status(harness)
        #expect(status.version == "1.2.3")
        #expect(status.startedAtUnixMs == ServiceHarness.opening.unixMilliseconds)
        #expect(status.nowUnixMs == ServiceHarness.opening.unixMilliseconds + 5000)
        #expect(status.anchors.map(\.name) == ["Root"] && status.anchors.allSatisfy(\.simulated))
        #expect(status.apps.map(\.app) == ["camera", "notes"])
        #expect(status.apps.first?.formats == ["app-attest.assertion", "app-attest.attestation"])
        #expect(status.apps.first?.policyDigest.count == 32)
    }

    @Test("says in a word how the store is")
    func store() async throws {
        let harness = try await ServiceHarness()
        #expect(try await status(harness).store.state == "good")
        let states: [(LedgerError, String)] = [
            (.unavailable("disk full"), "unavailable"), (.corrupt("page 7"), "damaged"),
            (.replaced("x-wal was removed"), "replaced"),
        ]
        for (error, word) in states {
            harness.ledger.fail(.status, with: error)
            let store = try await status(harness).store
            #expect(!store.available && store.state == word && store.problem == error.description)
        }
    }

    @Test("says how the clock goes")
    func clock() async throws {
        let up = Uptime()
        let harness = try await ServiceHarness(uptime: { up.value })
        let steady = try await status(harness).clock
        #expect(steady.settledUnixMs == ServiceHarness.opening.unixMilliseconds && steady.aheadMs == 0)
        #expect(steady.lastStepAtUnixMs == 0 && steady.noChallengesUntilUnixMs == 0)
        try await harness.clockWatch.perform()
        harness.clock.advance(milliseconds: 3_600_000)
        try await harness.clockWatch.perform()
        up.pass(300_000)
        harness.clock.advance(milliseconds: 300_000)
        harness.horizon.note(ServiceHarness.opening.adding(milliseconds: 9_000_000))
        let ahead = try await status(harness).clock
        #expect(ahead.aheadMs == 3_600_000 && ahead.followedInMs == 60 * 60_000)
        #expect(ahead.settledUnixMs == ServiceHarness.opening.unixMilliseconds + 300_000)
        #expect(ahead.lastStepAtUnixMs == ServiceHarness.opening.unixMilliseconds + 3_600_000 && ahead.lastStepMs == 3_600_000)
        #expect(ahead.noChallengesUntilUnixMs == ServiceHarness.opening.unixMilliseconds + 9_000_000)
    }

    @Test("counts what was answered and what is kept")
    func counts() async throws {
        let harness = try await ServiceHarness()
        let empty = try await status(harness)
        #expect(empty.store.available && empty.store.devices == 0 && empty.store.auditHead.count == 32)
        #expect(empty.store.spentHorizonUnixMs == 0 && empty.store.lastEntryAtUnixMs == 0)
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.idempotencyKey = [1]
        for _ in 0..<2 { _ = try await harness.verify(request) }
        _ = try await harness.assert(&handset, changes: .genuine.counter(1))
        let status = try await status(harness)
        #expect(status.traffic.accepted == 2 && status.traffic.repeatedVerdicts == 1 && status.traffic.challengesIssued == 3)
        #expect(status.traffic.rejected == ["counter_not_increasing": 1])
        #expect(status.store.devices == 1 && status.store.auditCount == 2 && status.store.auditHead != empty.store.auditHead)
        #expect(status.store.lastEntryAtUnixMs == ServiceHarness.opening.unixMilliseconds)
    }

    @Test("of a store that fails is an answer that says so")
    func failingStore() async throws {
        let harness = try await ServiceHarness()
        harness.ledger.fail(with: .unavailable("disk full"))
        let status = try await status(harness)
        #expect(!status.store.available && status.store.problem == "the ledger is unavailable: disk full")
        #expect(status.store.devices == 0 && status.store.auditHead.isEmpty && status.version == "1.2.3")
        harness.ledger.fail(with: nil)
        #expect(try await self.status(harness).store.available)
    }

    @Test("shows the head of the audit chain, signed by the ledger's key")
    func signedHead() async throws {
        let harness = try await ServiceHarness()
        _ = try await harness.enrol()
        let status = try await status(harness)
        let head = try #require(SignedAuditHead(status))
        #expect(head.isSigned(by: Array(status.audit.publicKey)) && Array(status.audit.publicKey) == harness.signer.publicKey)
        #expect(head.chain.number == 1 && Array(status.store.auditHead) == head.chain.head && status.audit.dropped == 0)
        #expect(head.time == ServiceHarness.opening && head.start == AuditChain())
        let old = SignedAuditHead(head.chain, from: nil, at: head.time, signature: Array(status.audit.signature))
        #expect(old.isSigned(by: harness.signer.publicKey), "clients that know nothing of the start still verify the head")
        _ = try await harness.ledger.trim(to: Retention(auditFrom: .distantFuture))
        let after = try await self.status(harness).audit
        #expect(after.dropped == 1 && after.count == 1 && after.head == status.audit.head)
        let cut = try #require(SignedAuditHead(after))
        #expect(cut.start == head.chain && cut.isSigned(by: harness.signer.publicKey))
        let hidden = SignedAuditHead(cut.chain, from: AuditChain(), at: cut.time, signature: cut.signature)
        #expect(!hidden.isSigned(by: harness.signer.publicKey), "where the log begins is part of what is signed")
        harness.ledger.fail(with: .unavailable("disk full"))
        #expect(try await !self.status(harness).hasAudit)
    }

    @Test("lists the chains of all writers, each head signed with the writer's name")
    func writers() async throws {
        let (own, other) = (try #require(AuditWriter(named: "w1")), try #require(AuditWriter(named: "w0")))
        let memory = MemoryLedger(writer: own)
        let harness = try await ServiceHarness(ledger: WatchedLedger(memory))
        _ = try await harness.enrol()
        let record = AuditRecord(
            requestID: [1], caller: "c", app: .camera, purpose: .assert, device: nil, assurance: .hardware,
            evidenceDigest: [], policyDigest: [], simulated: false)
        let change = AuditChange.configurationLoad([1], version: "1", by: .start)
        let time = ServiceHarness.opening.adding(milliseconds: -5)
        memory.append(record.bytes, at: time, by: other)
        memory.append(change.bytes, at: ServiceHarness.opening, by: other)
        let status = try await status(harness)
        #expect(status.store.writers.map(\.name) == ["w1", "w0"] && status.store.writers.map(\.count) == [1, 2])
        #expect(status.store.writers[0].head == status.store.auditHead && status.audit.writer == "w1")
        #expect(status.store.writers[1].lastEntryAtUnixMs == time.unixMilliseconds)
        #expect(status.audit.signature.isEmpty, "version 1 says nothing of a writer")
        let heads = status.signedAuditHeads
        #expect(heads.map(\.writer) == [own, other] && heads.first == SignedAuditHead(status))
        for head in heads {
            #expect(head.isSigned(by: harness.signer.publicKey))
            let renamed = SignedAuditHead(
                head.chain, of: head.writer == own ? other : own, from: head.start, at: head.time, signature: head.signature)
            #expect(!renamed.isSigned(by: harness.signer.publicKey), "the writer's name is part of what is signed")
            let nameless = SignedAuditHead(head.chain, from: head.start, at: head.time, signature: head.signature)
            #expect(!nameless.isSigned(by: harness.signer.publicKey))
        }
        let single = try await self.status(try await ServiceHarness()).store.writers
        #expect(single.map(\.name) == [""], "a ledger with one writer lists it without a name")
    }

    @Test("shows the space on the disk, and whether it is short")
    func disk() async throws {
        #expect(try await !status(ServiceHarness()).hasDisk, "where the file system gives no answer")
        let roomy = try await status(ServiceHarness(disk: DiskSpace(free: 50 << 30, capacity: 100 << 30))).disk
        #expect(roomy.freeBytes == 50 << 30 && roomy.capacityBytes == 100 << 30 && !roomy.low)
        #expect(try await status(ServiceHarness(disk: DiskSpace(free: 1 << 30, capacity: 100 << 30))).disk.low)
    }

    @Test("shows how the exchange of receipts goes, and what is wrong with it in full to callers that may use every app")
    func receipts() async throws {
        let caller = Caller(name: "watcher", roles: [.observe], apps: [.notes])
        let harness = try await ServiceHarness(callers: CallerDirectory(byUserID: [7: caller], loopback: CallerDirectory.demo))
        let receipts = try await status(harness).receipts
        #expect(receipts.due == 7 && receipts.exchanged == 5 && receipts.failed == 3 && receipts.ended == 2)
        #expect(receipts.problem == "no answer" && receipts.problemAtUnixMs == ServiceHarness.opening.unixMilliseconds)
        let limited = try await status(harness, peer: .unix(userID: 7, groupID: 1, processID: 1)).receipts
        #expect(limited.exchanged == 5 && limited.problem == "the log says what is wrong")
    }

    @Test("says which configuration is in force, and why a newer one is not, in full to callers that may use every app")
    func configuration() async throws {
        let caller = Caller(name: "watcher", roles: [.observe], apps: [.notes])
        let harness = try await ServiceHarness(
            callers: CallerDirectory(byUserID: [7: caller], loopback: CallerDirectory.demo))
        let good = try await status(harness).configuration
        #expect(Array(good.digest) == [0xC0] && good.loadedAtUnixMs == ServiceHarness.opening.unixMilliseconds)
        #expect(good.problem.isEmpty && good.refusedAtUnixMs == 0)
        harness.reloadProblem.value = ReloadProblem(at: ServiceHarness.opening.adding(milliseconds: 5), text: "apps.camera: no")
        let refused = try await status(harness).configuration
        #expect(refused.problem == "apps.camera: no" && refused.refusedAtUnixMs == ServiceHarness.opening.unixMilliseconds + 5)
        let limited = try await status(harness, peer: .unix(userID: 7, groupID: 1, processID: 1)).configuration
        #expect(!limited.problem.contains("camera") && !limited.problem.isEmpty)
    }

    @Test("lists only the caller's apps")
    func apps() async throws {
        let caller = Caller(name: "watcher", roles: [.observe], apps: [.notes])
        let harness = try await ServiceHarness(callers: CallerDirectory(byUserID: [7: caller]))
        let status = try await status(harness, peer: .unix(userID: 7, groupID: 1, processID: 1))
        #expect(status.apps.map(\.app) == ["notes"])
    }
}
