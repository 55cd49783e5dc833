import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import AssaySQLite

@Suite("SQLite ledger")
struct SQLiteLedgerTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test("The SQLite ledger keeps each promise", arguments: LedgerContract.checks)
    func contract(_ check: ContractCheck) async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        try await check.run(on: ledger)
    }

    @Test(
        "The SQLite ledger keeps each promise without caches and with one entry in a transaction",
        arguments: LedgerContract.checks)
    func contractWithoutCaches(_ check: ContractCheck) async throws {
        var options = LedgerOptions()
        (options.deviceCacheBytes, options.certificateCacheBytes, options.submissionCacheBytes) = (0, 0, 0)
        options.batchLimit = 1
        options.idleReaders = 0
        (options.checkpointStep, options.checkpointFrames) = (1, 1)
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        try await check.run(on: ledger)
    }

    @Test("A ledger keeps all records across a restart, and the audit chain continues")
    func restart() async throws {
        let path = directory.path()
        let (device, spend) = (try Sample.device(), Sample.spend())
        let kept = LedgerEntry.Idempotency(key: [1], request: [2], expiry: Sample.expiry, verdict: [3], device: nil)
        let secret = WrappedSecret(name: "n", number: 1, wrapped: [1], createdAt: Sample.now)
        let first = try SQLiteLedger.open(path: path)
        _ = try await first.commit([
            try Sample.entry(spends: [spend], registrations: [device], idempotency: kept),
            try Sample.entry(advances: [Sample.advance(device, to: 9)]),
        ])
        _ = try await first.add(secret)
        let before = try await first.status()
        first.close()

        let second = try SQLiteLedger.open(path: path)
        defer { second.close() }
        #expect(try await second.status() == before)
        #expect(try await second.device(device.testKey)?.counter == 9)
        #expect(try await second.verdict(idempotencyKey: [1], now: Sample.now)?.verdict == [3])
        #expect(try await second.secrets() == [secret])
        let next = try Sample.entry()
        let outcomes = try await second.commit([
            try Sample.entry(spends: [spend]), try Sample.entry(advances: [Sample.advance(device, to: 9)]), next,
        ])
        #expect(outcomes == [.refused(.challengeReused), .refused(.counterNotIncreasing), .committed])
        let head = AuditChain(number: before.auditCount, head: before.auditHead).appending(next.audit.bytes, at: next.time).head
        #expect(try await second.status().auditHead == head)
    }

    @Test("A ledger keeps the spent horizon across a restart")
    func horizonAcrossRestart() async throws {
        let spend = Sample.spend()
        let first = try SQLiteLedger.open(path: directory.path())
        _ = try await first.commit([try Sample.entry(spends: [spend])])
        try await first.purge(now: Sample.now.adding(milliseconds: 3_600_000))
        let horizon = try await first.status().spentHorizon
        #expect(horizon >= spend.expiry)
        first.close()
        let second = try SQLiteLedger.open(path: directory.path())
        defer { second.close() }
        #expect(try await second.status().spentHorizon == horizon)
        #expect(try await second.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeExpired)])
    }

    @Test("The ledger's files are readable by their owner only")
    func modes() async throws {
        let path = directory.path()
        // A file that exists before, readable by all.
        try Data().write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let ledger = try SQLiteLedger.open(path: path)
        defer { ledger.close() }
        _ = try await ledger.commit([try Sample.entry()])
        for suffix in ["", "-wal", "-shm"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(path + suffix)")
        }
    }

    @Test("A missing directory is named")
    func missingDirectory() throws {
        let path = directory.path("nowhere/ledger.db")
        let expected = LedgerError.unavailable("the directory \(directory.path("nowhere")) does not exist")
        #expect(throws: expected) { try SQLiteLedger.open(path: path) }
    }

    @Test("A closed ledger is unavailable")
    func closed() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        ledger.close()
        ledger.close()
        await #expect(throws: LedgerError.unavailable("the ledger is closed")) {
            try await ledger.commit([try Sample.entry()])
        }
        await #expect(throws: LedgerError.unavailable("the ledger is closed")) { try await ledger.status() }
    }

    @Test("A ledger sees what another connection wrote, and chains after it")
    func otherWriter() async throws {
        var options = LedgerOptions()
        options.isExclusive = false
        let one = try SQLiteLedger.open(path: directory.path(), options: options)
        let two = try SQLiteLedger.open(path: directory.path(), options: options)
        defer {
            one.close()
            two.close()
        }
        let (device, spend) = (try Sample.device(), Sample.spend())
        #expect(try await one.commit([try Sample.entry(spends: [spend], registrations: [device])]) == [.committed])
        #expect(try await two.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
        // Both cache the device; a change by one must not let the other accept anything.
        #expect(try await one.device(device.testKey)?.counter == 0)
        #expect(try await two.device(device.testKey)?.counter == 0)
        let entries = try (0..<8).map { _ in try Sample.entry(advances: [Sample.advance(device, to: 1)]) }
        let outcomes = try await one.commit(Array(entries[..<4])) + two.commit(Array(entries[4...]))
        #expect(outcomes.count { $0 == .committed } == 1)
        _ = try await two.block(.device(device.id), reason: "r", at: Sample.now)
        let advance = try Sample.entry(advances: [Sample.advance(device, to: 2)])
        #expect(try await one.commit([advance]) == [.refused(.deviceBlocked)])
        _ = try await two.unblock(.device(device.id))
        #expect(try await one.device(device.testKey)?.isBlocked == false)
        #expect(try await one.commit([advance]) == [.committed])
        #expect(try await two.status().auditCount == 5, "three verdicts, a block and its end")
        #expect(try AuditWalk.isUnbroken(directory.path()))
    }

    @Test("Spent tokens are dropped with their period and not before")
    func periods() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        _ = try await ledger.commit([try Sample.entry()])
        let other = try OtherConnection(directory.path())
        let count = "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'spent_*'"
        #expect(try other.text(count) == "1")
        let end = SpentBucket(Sample.spend(), at: Sample.now).last
        try await ledger.purge(now: end.adding(milliseconds: -1))
        #expect(try other.text(count) == "1")
        try await ledger.purge(now: end)
        #expect(try other.text(count) == "0")
        #expect(try await ledger.status().spentHorizon == end)
    }

    @Test("A spent token is found among hundreds of periods")
    func manyPeriods() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let spends = (0..<250 as Range<Int64>).map { day in
            LedgerEntry.Spend(token: SecureRandom.bytes(16), expiry: Sample.now.adding(milliseconds: day * 86_400_000))
        }
        for spend in spends { #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.committed]) }
        for spend in spends {
            #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
        }
        try await ledger.purge(now: Sample.now.adding(milliseconds: 400 * 86_400_000))
        #expect(try await ledger.commit([try Sample.entry(spends: spends)]) == [.refused(.challengeExpired)])
    }

    @Test("More surplus challenges than one transaction drops go from several periods, and the latest stay")
    func manyChallenges() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        // Two for each expiry, over a little more than two periods of ten minutes.
        let count = 2 * SpentTokens.forgetLimit + 6_000
        let spends = (0..<count).map { number in
            LedgerEntry.Spend(
                token: SecureRandom.bytes(16), expiry: Sample.now.adding(milliseconds: number / 2 * 100), expiryIsFixed: true)
        }
        for part in stride(from: 0, to: spends.count, by: 1000) {
            let entries = try spends[part..<min(part + 1000, spends.count)].map { try Sample.entry(spends: [$0]) }
            #expect(try await ledger.commit(entries).allSatisfy { $0 == .committed })
        }
        // Tokens with the same expiry are dropped together.
        let trimmed = try await ledger.trim(to: Retention(challenges: 1001))
        #expect(trimmed.challenges == count - 1000 && trimmed.evidence == 0 && !trimmed.hasMore)
        let other = try OtherConnection(directory.path())
        #expect(try SpentCounts(try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())).challenges == 1000)
        #expect(try await ledger.status().spentHorizon == spends[Int(count) - 1001].expiry)
        #expect(try other.text("PRAGMA integrity_check") == "ok")
        for (index, code) in [(0, .challengeExpired), (count - 1001, .challengeExpired), (count - 1000, .challengeReused)]
            as [(Int64, ReasonCode)]
        {
            #expect(try await ledger.commit([try Sample.entry(spends: [spends[Int(index)]])]) == [.refused(code)])
        }
    }

    @Test("More expired verdicts than one transaction removes are purged")
    func manyVerdicts() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let entries = try (0..<2 * IdempotencyTable.purgeLimit + 1).map { number in
            try Sample.entry(
                idempotency: .init(
                    key: Array("\(number)".utf8), request: [1], expiry: Sample.expiry, verdict: [1], device: nil))
        }
        _ = try await ledger.commit(entries)
        let other = try OtherConnection(directory.path())
        try await ledger.purge(now: Sample.expiry.adding(milliseconds: -1))
        #expect(try other.text("SELECT count(*) FROM idempotency") == "\(entries.count)")
        try await ledger.purge(now: Sample.expiry)
        #expect(try other.text("SELECT count(*) FROM idempotency") == "0")
    }

    @Test("Calls beyond the queue are overloaded at once, and the others are served")
    func overload() async throws {
        var options = LedgerOptions()
        options.queueLimit = 10
        // Longer than a busy machine takes to start the calls: the writer must not give up before the lock is let go.
        options.busyTimeout = 60_000
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        let lock = try OtherConnection(directory.path())
        try lock.execute("BEGIN IMMEDIATE")
        // The lock blocks the writer. Of many calls some wait, and the others must be refused at once.
        let entries = try (0..<100).map { _ in try Sample.entry() }
        let (overloaded, signal) = AsyncStream.makeStream(of: Void.self)
        let outcomes = await withTaskGroup(of: Result<[CommitOutcome], LedgerError>.self) { group in
            for entry in entries {
                group.addTask {
                    do throws(LedgerError) {
                        return .success(try await ledger.commit([entry]))
                    } catch {
                        signal.yield()
                        return .failure(error)
                    }
                }
            }
            // At most one batch and one queue can wait.
            var turnedAway = 0
            for await _ in overloaded {
                turnedAway += 1
                if turnedAway == 80 { break }
            }
            try? lock.execute("COMMIT")
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 == .success([.committed]) || $0 == .failure(.overloaded) })
        let accepted = outcomes.count { $0 == .success([.committed]) }
        #expect(accepted >= 10)
        #expect(try await ledger.status().auditCount == Int64(accepted))
    }

    @Test("The write-ahead log stays bounded under load")
    func boundedLog() async throws {
        var options = LedgerOptions()
        (options.checkpointStep, options.checkpointFrames) = (50, 200)
        options.logSizeLimit = 1 << 20
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<300 {
                        let entries = try (0..<8).map { _ in try Sample.entry(registrations: [try Sample.device()]) }
                        _ = try await ledger.commit(entries)
                    }
                }
            }
            try await group.waitForAll()
        }
        let size = try FileManager.default.attributesOfItem(atPath: directory.path("ledger.db-wal"))[.size] as? Int ?? 0
        let written = 4 * 300 * 8 * 3000
        #expect(size < written / 3, "the log holds \(size) bytes after more than \(written) were written")
        #expect(try await ledger.status().devices == 9600)
        let integrity = try OtherConnection(directory.path()).text("PRAGMA integrity_check")
        #expect(integrity == "ok")
    }

    @Test("An entry with a value that the file cannot hold fails alone")
    func unholdable() async throws {
        var options = LedgerOptions()
        // Longer than a busy machine takes to start the calls: the writer must not give up before the lock is let go.
        options.busyTimeout = 60_000
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        let device = try Sample.device()
        // A hot row without its device, which no ledger writes: it conflicts with the registration of the device.
        let other = try OtherConnection(directory.path())
        try other.execute("INSERT INTO counters VALUES (x'\(Hex.encode(device.id.bytes))', 0, 1, 0, 0)")
        // While the lock is held, the entries wait for one transaction.
        try other.execute("BEGIN IMMEDIATE")
        let outcomes = try await withThrowingTaskGroup(of: CommitOutcome?.self) { group in
            for number in 0..<21 {
                let entry = try Sample.entry(registrations: number == 10 ? [device] : [])
                group.addTask { try? await ledger.commit([entry]).first }
            }
            try await Task.sleep(for: .milliseconds(50))
            try other.execute("COMMIT")
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .committed } == 20)
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(try await ledger.status().auditCount == 20)
        #expect(try AuditWalk.isUnbroken(directory.path()))
    }
}
