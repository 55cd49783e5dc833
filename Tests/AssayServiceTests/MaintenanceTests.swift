import AssayCore
import AssayService
import AssayTesting
import Synchronization
import Testing

@Suite("Maintenance")
struct MaintenanceTests {
    // MARK: The head of the audit chain

    private func publisher(_ harness: ServiceHarness, _ book: LogBook) -> AuditPublisher {
        AuditPublisher(ledger: harness.ledger, signer: harness.signer, clock: harness.clock, logger: book.logger)
    }

    @Test("the signed head is logged at once, every hour, and at the stop")
    func published() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        let publisher = publisher(harness, book)
        try await publisher.perform()
        try await publisher.perform()
        #expect(book.lines.count == 1)
        harness.clock.advance(milliseconds: AuditPublisher.period - 1)
        try await publisher.perform()
        #expect(book.lines.count == 1)
        harness.clock.advance(milliseconds: 1)
        try await publisher.perform()
        #expect(book.lines.count == 2)
        _ = try await harness.enrol()
        try await publisher.conclude()
        #expect(book.lines.count == 3)
        harness.clock.advance(milliseconds: -2 * AuditPublisher.period)
        try await publisher.perform()
        #expect(book.lines.count == 4, "a clock that is set back does not silence it")
    }

    @Test("the signed head that is logged is one that --expect-head takes, by the ledger's key")
    func loggedHead() async throws {
        let (harness, book) = (try await ServiceHarness(), LogBook())
        _ = try await harness.enrol()
        try await publisher(harness, book).perform()
        let words = try #require(book.lines.first).split(separator: " ")
        let text = try #require(words.first { $0.hasPrefix("head=") }).dropFirst(5)
        let key = try #require(words.first { $0.hasPrefix("public_key=") }).dropFirst(11)
        let head = try #require(ExpectedAuditHead(text)?.signed)
        #expect(head.isSigned(by: try #require(Base64.url.decode(key))))
        let status = try await harness.ledger.status()
        #expect(head.chain == AuditChain(number: 1, head: status.auditHead) && head.time == harness.clock.now())
        #expect(head.start == AuditChain(), "the head says where the log begins")
    }

    @Test("the ledger's key stays the same")
    func sameKey() async throws {
        let harness = try await ServiceHarness()
        harness.clock.advance(milliseconds: 10 * 365 * 86_400_000)
        let again = try await AuditSigner(ledger: harness.ledger, vault: ServiceHarness.vault, clock: harness.clock)
        #expect(again.publicKey == harness.signer.publicKey)
        let other = try await ServiceHarness()
        #expect(other.signer.publicKey != harness.signer.publicKey)
    }

    @Test("The maintenance service performs its tasks, and concludes them when it stops")
    func kept() async throws {
        final class Counting: MaintenanceTask {
            let (performed, continuation) = AsyncStream<Void>.makeStream()
            let concluded = Mutex(0)
            func perform() async throws {
                continuation.yield()
                throw LedgerError.unavailable("test")
            }
            func conclude() async throws { concluded.withLock { $0 += 1 } }
        }
        let (harness, first, second) = (try await ServiceHarness(), Counting(), Counting())
        let maintenance = MaintenanceService(
            ledger: harness.ledger, keys: harness.keys, clock: SettledClock(harness.clock), period: .milliseconds(1),
            tasks: [first, second],
            logger: ServiceHarness.logger)
        let work = Task { await maintenance.run() }
        var times = 0
        for await _ in second.performed {
            times += 1
            if times == 3 { break }
        }
        #expect(second.concluded.withLock { $0 } == 0)
        work.cancel()
        await work.value
        #expect(first.concluded.withLock { $0 } == 1 && second.concluded.withLock { $0 } == 1)
    }

    // MARK: The disk

    private static func watch(_ rule: DiskSpaceRule, _ book: LogBook, _ space: @escaping @Sendable () -> DiskSpace?)
        -> DiskWatch
    {
        DiskWatch(rule: rule, logger: book.logger, measure: space)
    }

    @Test("a disk that fills up is called out when it begins and when it ends")
    func disk() async throws {
        let book = LogBook()
        let free = Atomic<UInt64>(100 << 30)
        let watch = Self.watch(DiskSpaceRule(), book) { DiskSpace(free: free.load(ordering: .relaxed), capacity: 200 << 30) }
        await watch.perform()
        #expect(book.lines.isEmpty && watch.look()?.isLow == false)
        // 5 % of 200 GiB.
        for bytes in [10 << 30, (10 << 30) - 1, 5 << 30, 0] as [UInt64] {
            free.store(bytes, ordering: .relaxed)
            await watch.perform()
            #expect(watch.look()?.isLow == (bytes < 10 << 30))
        }
        #expect(book.lines.count == 1 && book.lines.first?.hasPrefix("warning: the disk of the ledger is nearly full") == true)
        free.store(11 << 30, ordering: .relaxed)
        await watch.perform()
        #expect(book.lines.count == 2 && book.lines.last?.hasPrefix("notice: ") == true)
    }

    @Test("Each limit of the disk's space counts, and none if both are 0")
    func diskBounds() {
        var rule = DiskSpaceRule()
        (rule.freeBytes, rule.freePercent) = (1000, 10)
        func isLow(_ free: UInt64, of capacity: UInt64) -> Bool? {
            Self.watch(rule, LogBook()) { DiskSpace(free: free, capacity: capacity) }.look()?.isLow
        }
        #expect(isLow(999, of: 1000) == true && isLow(1000, of: 10_000) == false && isLow(1000, of: 10_001) == true)
        #expect(isLow(.max, of: .max) == false)
        (rule.freeBytes, rule.freePercent) = (0, 0)
        #expect(isLow(0, of: 1 << 60) == false)
        #expect(Self.watch(rule, LogBook()) { nil }.look() == nil)
    }
}
