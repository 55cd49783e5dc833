import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Testing

@Suite("Retention")
struct RetentionTests {
    private func task(_ harness: ServiceHarness, _ rule: RetentionRule, _ book: LogBook) -> RetentionTask {
        RetentionTask(
            ledger: harness.ledger, rule: rule, memory: harness.memory, clock: SettledClock(harness.clock), logger: book.logger)
    }

    private func memoryIsFull(_ harness: ServiceHarness) async throws -> Bool {
        let status: Assay_V1_StatusResponse = try await harness.call(
            API.status, Assay_V1_StatusRequest(), peer: ServiceHarness.loopback)
        return status.store.evidenceMemoryFull
    }

    @Test("audit records are kept as long as they are to be, and the log says which were dropped")
    func retention() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        _ = try await harness.enrol()
        harness.clock.advance(milliseconds: 86_400_000)
        _ = try await harness.enrol()
        var rule = RetentionRule()
        rule.auditRecords = 86_400_000
        let task = self.task(harness, rule, book)
        try await task.perform()
        #expect(book.lines.isEmpty && harness.ledger.memory.auditLog.count == 2)
        harness.clock.advance(milliseconds: 1)
        let head = try #require(try await harness.ledger.audit(from: 1, limit: 1).rows.first).head
        try await task.perform()
        #expect(
            book.lines.count == 1 && book.lines.first?.contains("head=\(Hex.encode(head)):1 records=1") == true, "\(book.lines)"
        )
        #expect(harness.ledger.memory.auditLog.count == 1)
        try await task.perform()
        #expect(book.lines.count == 1)
    }

    /// A dropped audit log is lost, and a clock that runs ahead makes every record look old.
    @Test("a clock that leaps ahead for a while drops no audit record")
    func leap() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        _ = try await harness.enrol()
        var rule = RetentionRule()
        rule.auditRecords = 30 * 86_400_000
        let task = self.task(harness, rule, book)
        harness.clock.advance(milliseconds: 365 * 86_400_000)
        try await task.perform()
        harness.clock.advance(milliseconds: -365 * 86_400_000)
        try await task.perform()
        #expect(book.lines.isEmpty && harness.ledger.memory.auditLog.count == 1)
    }

    @Test("The audit log grows without limit unless the configuration sets one")
    func withoutLimit() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        _ = try await harness.enrol()
        harness.clock.set(.distantFuture)
        try await task(harness, RetentionRule(), book).perform()
        #expect(book.lines.isEmpty && harness.ledger.memory.auditLog.count == 1)
    }

    @Test("stored verdicts are bounded, and it is said when they are forgotten early")
    func verdicts() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        var (handset, _) = try await harness.enrol()
        for key in 0..<5 as Range<UInt8> {
            var request = try handset.assertion(try await harness.challenge(.assert))
            request.idempotencyKey = [key]
            #expect(try await harness.verify(request).isAccepted)
        }
        var rule = RetentionRule()
        rule.verdicts = 3
        try await task(harness, rule, book).perform()
        #expect(book.lines.count == 1 && book.lines.first?.hasSuffix("limit=3 verdicts=2") == true, "\(book.lines)")
    }

    @Test("audit records are bounded where the configuration says so")
    func auditRows() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        for _ in 0..<3 { _ = try await harness.enrol() }
        var rule = RetentionRule()
        rule.auditRows = 2
        try await task(harness, rule, book).perform()
        #expect(harness.ledger.memory.auditLog.count == 2)
        #expect(book.lines.count == 1 && book.lines.first?.contains("records=1") == true, "\(book.lines)")
    }

    @Test("spent challenges are bounded: the oldest are forgotten, no open one of their time is good, and the log says so")
    func spentChallenges() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        var rule = RetentionRule()
        rule.challenges = 2
        let task = self.task(harness, rule, book)
        var (handset, _) = try await harness.enrol()
        let early = try await harness.challenge(.assert)
        var used = try handset.assertion(early)
        #expect(try await harness.verify(used).isAccepted)
        let open = try await harness.challenge(.assert)
        try await task.perform()
        #expect(book.lines.isEmpty)
        harness.clock.advance(milliseconds: 1000)
        #expect(try await harness.verify(try handset.assertion(try await harness.challenge(.assert))).isAccepted)
        try await task.perform()
        #expect(book.lines.count == 1 && book.lines.first?.hasSuffix("challenges=2 limit=2") == true, "\(book.lines)")
        // All that expired in the first second is beyond the horizon: what was spent, under a new counter too, and what was not.
        used = try handset.assertion(early)
        #expect(try await harness.verify(used).rejection == .challengeExpired)
        #expect(try await harness.verify(try handset.assertion(open)).rejection == .challengeExpired)
        #expect(try await harness.verify(try handset.assertion(try await harness.challenge(.assert))).isAccepted)
    }

    @Test("where no more uses of evidence may be kept, only evidence that needs none is judged, and status and log say so")
    func evidenceMemory() async throws {
        let binding = BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: 60_000))
        let (harness, book) = (try await ServiceHarness([.testing(.camera, binding: binding)]), LogBook())
        var rule = RetentionRule()
        rule.evidence = 2
        let task = self.task(harness, rule, book)
        func registration() throws -> VerificationRequest {
            let hash = SecureRandom.bytes(32)
            return VerificationRequest(
                app: .camera, purpose: .register, challenge: [], evidence: [try Handset().attestation(over: hash)],
                binding: .callerOwned(hash))
        }
        for _ in 0..<2 {
            try await task.perform()
            #expect(try await harness.verify(try registration()).isAccepted)
        }
        #expect(book.lines.isEmpty)
        try await task.perform()
        try await task.perform()
        #expect(book.lines.count == 1 && book.lines.last?.hasSuffix("limit=2 uses=2") == true, "\(book.lines)")
        let error = try #require(try await harness.failure(try registration()))
        #expect(error.code == .unavailable && error.reason == "evidence_memory_full" && error.retryAfterMilliseconds == 60_000)
        #expect(try await memoryIsFull(harness))
        _ = try await harness.enrol()

        harness.clock.advance(milliseconds: 60_000)
        try await harness.ledger.purge(now: harness.clock.now())
        try await task.perform()
        #expect(book.lines.count == 2 && book.lines.last?.contains("room again") == true, "\(book.lines)")
        #expect(try await harness.verify(try registration()).isAccepted)
        #expect(try await memoryIsFull(harness) == false)
    }

    @Test("What was dropped of another writer's chain is logged with its new start, and a break in it once")
    func otherChains() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        let writer = try #require(AuditWriter(named: "w1"))
        let start = AuditChain(number: 5, head: [UInt8](repeating: 0xAB, count: 32))
        harness.ledger.answerTrim(Trimmed(others: [TrimmedChain(writer, rows: 3, start: start, fault: nil)]))
        let task = self.task(harness, RetentionRule(), book)
        try await task.perform()
        #expect(book.lines.count == 1 && book.lines[0].contains("w1/\(Hex.encode(start.head)):5"), "\(book.lines)")
        let fault = AuditError(.changed, at: 7, "its head is not what was chained")
        harness.ledger.answerTrim(Trimmed(others: [TrimmedChain(writer, rows: 0, start: start, fault: fault)]))
        for _ in 0..<3 { try await task.perform() }
        #expect(book.lines.count == 2 && book.lines[1].contains("record 7 (changed)"), "\(book.lines)")
        #expect(book.lines[1].contains("w1"), "\(book.lines)")
    }

    @Test("a break in the audit log is called out once, not every minute")
    func brokenLog() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        let fault = AuditError(.changed, at: 7, "its head is not what was chained")
        harness.ledger.answerTrim(Trimmed(fault: fault))
        let task = self.task(harness, RetentionRule(), book)
        for _ in 0..<3 { try await task.perform() }
        #expect(book.lines.count == 1 && book.lines.first?.contains("record 7 (changed)") == true, "\(book.lines)")
    }
}
