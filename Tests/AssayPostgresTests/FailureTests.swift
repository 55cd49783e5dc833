import AssayCore
import AssayTesting
import Foundation
import Synchronization
import Testing

@testable import AssayPostgres

/// The server stops, crashes, hangs, refuses; a daemon has another's name. What was acknowledged is there, what was not is found out.
@Suite("Failures of PostgreSQL", .needsServer, .serialized)
struct FailureTests {
    private static let own = Result { try TestServer.ownServer() }
    private func ownServer() throws -> TestServer { try Self.own.get() }

    /// Returns when a commit waits for a standby, or has waited as long as it may.
    private func untilACommitWaits(_ settings: PostgresSettings) async throws {
        _ = try await eventually {
            try settings.text("SELECT count(*)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'") != "0"
        }
    }

    private func backends(_ settings: PostgresSettings, _ call: String) throws {
        let connection = try PostgresConnection(settings)
        _ = try connection.query(
            .once(
                """
                SELECT \(call)(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'assay %'
                """), within: 10_000)
    }

    @Test(
        "Connections that the server ends in the middle of commits lose nothing that was acknowledged", .timeLimit(.minutes(30))
    )
    func terminated() async throws {
        let settings = try server().database()
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        let load = CommitLoad(ledger)
        for _ in 0..<15 {
            try await load.more(20)
            try backends(settings, "pg_terminate_backend")
        }
        try await load.more(100)
        let answers = try await load.end()
        try await answers.compare(with: ledger)
    }

    @Test(
        "A server that crashes and comes back loses nothing that was acknowledged, and the ledger recovers by itself",
        .timeLimit(.minutes(30)))
    func crash() async throws {
        let own = try ownServer()
        let faults = Mutex<[LedgerFault]>([])
        var options = PostgresOptions()
        options.onFault = { fault in faults.withLock { $0.append(fault) } }
        let ledger = try PostgresLedger.open(try own.database(), options: options)
        defer { ledger.close() }
        let load = CommitLoad(ledger)
        for signal in [SIGQUIT, SIGINT, SIGQUIT] {
            try await load.more(50)
            own.stop(signal)
            let clock = ContinuousClock()
            let began = clock.now
            let error = await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry()]) }
            #expect(clock.now - began < .seconds(60))
            #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("the ledger is unavailable: no connection to the database: "))
            await #expect(throws: LedgerError.self) { try await ledger.status() }
            try own.start()
        }
        try await load.more(50)
        let answers = try await load.end()
        try await answers.compare(with: ledger)
        #expect(faults.withLock { $0 }.contains(.over))
        _ = try await ledger.status()
    }

    @Test(
        "A commit that waits for a standby that is away is not acknowledged, nor after the wait is cancelled",
        .timeLimit(.minutes(30)))
    func standby() async throws {
        let own = try ownServer()
        var settings = try own.database()
        settings.commitTimeout = 3000
        settings.resolveTimeout = 700
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        for isCancelled in [false, true] {
            try own.set("synchronous_standby_names", to: "absent")
            let entry = try Sample.entry()
            let committing = Task { try await ledger.commit([entry]) }
            if isCancelled {
                try await untilACommitWaits(settings)
                try backends(settings, "pg_cancel_backend")
            }
            let result = await committing.result
            #expect(throws: LedgerError.self) { try result.get() }
            await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry()]) }
            try own.set("synchronous_standby_names", to: nil)
            try await retrying { _ = try await ledger.commit([try Sample.entry()]) }
            // It was applied on the primary, and is there once.
            #expect(try await ledger.commit([try Sample.entry(spends: entry.spends)]) == [.refused(.challengeReused)])
        }
    }

    @Test("A server that does not answer is told of before the call fails", .timeLimit(.minutes(30)))
    func late() async throws {
        let own = try ownServer()
        var settings = try own.database()
        // Longer than the test may take: the call cannot fail before the lateness is told, however busy the machine is.
        (settings.commitTimeout, settings.resolveTimeout) = (600_000, 600_000)
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        try await eventually("no call is late") { ledger.lateness == nil }
        let stopped = [try #require(own.processID)] + (try own.children())
        for process in stopped { kill(process, SIGSTOP) }
        defer { for process in stopped { kill(process, SIGCONT) } }
        async let committing = ledger.commit([try Sample.entry()])
        try await eventually("the ledger is late") { ledger.lateness != nil }
        #expect("\(ledger.lateness.map { "\($0)" } ?? "")".contains("the database has not answered for "))
        for process in stopped { kill(process, SIGCONT) }
        #expect(try await committing == [.committed])
        try await eventually("no call is late any more") { ledger.lateness == nil }
    }

    @Test(
        "A standby that is away for long is told as the reason, and the ledger goes on when it is back",
        .timeLimit(.minutes(30))
    )
    func longStandby() async throws {
        let own = try ownServer()
        var settings = try own.database()
        (settings.commitTimeout, settings.resolveTimeout, settings.lockTimeout) = (2000, 300, 100)
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        try own.set("synchronous_standby_names", to: "absent")
        let entry = try Sample.entry()
        await #expect(throws: LedgerError.self) { try await ledger.commit([entry]) }
        // Longer than a commit is looked for: the row of the writer stays locked by the commit that waits.
        var reasons: Set<String> = []
        for _ in 0..<30 {
            let error = await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry()]) }
            if let error { reasons.insert("\(error)") }
            await #expect(throws: LedgerError.self) { try await ledger.status() }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(
            reasons.contains { $0.contains("no standby confirms commits: synchronous_standby_names is \"absent\"") },
            "\(reasons)")
        try own.set("synchronous_standby_names", to: nil)
        try await retrying { _ = try await ledger.commit([try Sample.entry()]) }
        #expect(ledger.health.fault == nil)
        #expect(try await ledger.commit([try Sample.entry(spends: entry.spends)]) == [.refused(.challengeReused)])
        // The one whose answer was lost, and the one after it.
        #expect(try await ledger.status().auditCount == 3)
    }

    @Test(
        "What no standby has confirmed is neither repeated as a verdict nor the head of the audit log", .timeLimit(.minutes(30))
    )
    func unconfirmed() async throws {
        let own = try ownServer()
        var settings = try own.database()
        (settings.commitTimeout, settings.resolveTimeout, settings.lockTimeout) = (3000, 300, 100)
        let (ledger, other) = (try PostgresLedger.open(settings), try PostgresLedger.open(settings.writer("two")))
        defer { for ledger in [ledger, other] { ledger.close() } }
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        let head = try await ledger.status().auditHead
        try own.set("synchronous_standby_names", to: "absent")
        let key = SecureRandom.bytes(32)
        let entry = try Sample.entry(
            idempotency: .init(key: key, request: [1], expiry: Sample.expiry, verdict: [7], device: nil))
        let committing = Task { try await ledger.commit([entry]) }
        try await untilACommitWaits(settings)
        try backends(settings, "pg_cancel_backend")
        let result = await committing.result
        #expect(throws: LedgerError.self) { try result.get() }
        // It is visible, and a promotion would lose it.
        #expect(try settings.text("SELECT count(*)::text FROM idempotency") == "1")
        for some in [ledger, other] {
            await #expect(throws: LedgerError.self) { try await some.verdict(idempotencyKey: key, now: Sample.now) }
            let again = try Sample.entry(
                idempotency: .init(key: key, request: [1], expiry: Sample.expiry, verdict: [8], device: nil))
            await #expect(throws: LedgerError.self) { try await some.commit([again]) }
        }
        #expect(ledger.confirmedChain.head == head)
        try own.set("synchronous_standby_names", to: nil)
        for some in [other, ledger] {
            try await retrying {
                let repeated = try await some.verdict(idempotencyKey: key, now: Sample.now)
                #expect(repeated?.verdict == [7])
            }
        }
        try await retrying {
            let count = try await ledger.status().auditCount
            #expect(count == 2)
        }
    }

    @Test("While the server is read-only nothing is accepted, and the reason is told", .timeLimit(.minutes(30)))
    func readOnly() async throws {
        let own = try ownServer()
        let ledger = try PostgresLedger.open(try own.database())
        defer { ledger.close() }
        try own.set("default_transaction_read_only", to: "on")
        let error = await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry()]) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("read-only"))
        try own.set("default_transaction_read_only", to: nil)
        try await retrying { _ = try await ledger.commit([try Sample.entry()]) }
    }

    private func retrying(_ body: () async throws -> Void) async throws {
        for _ in 0..<600 {
            do { return try await body() } catch is LedgerError { try await Task.sleep(for: .milliseconds(100)) }
        }
        try await body()
    }

    // MARK: Other processes

    /// Processes that say that only one of them can run at a time, so that the second takes the name at once.
    private var sameFolder: PostgresOptions {
        var options = PostgresOptions()
        options.holder = LedgerHolder(instance: "a folder", name: "a process")
        return options
    }

    @Test("A process whose name another one has taken accepts nothing more")
    func fenced() async throws {
        let settings = try server().database()
        let first = try PostgresLedger.open(settings, options: sameFolder)
        defer { first.close() }
        #expect(try await first.commit([try Sample.entry()]) == [.committed])
        let second = try PostgresLedger.open(settings, options: sameFolder)
        defer { second.close() }
        let error = await #expect(throws: LedgerError.self) { try await first.commit([try Sample.entry()]) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("each daemon needs a name of its own"))
        await #expect(throws: LedgerError.self) { try await first.status() }
        #expect(try await second.commit([try Sample.entry()]) == [.committed])
        #expect(try await second.status().auditCount == 2)
    }

    @Test("A fenced process does not take the name back when it connects again")
    func fencedAtReconnect() async throws {
        let settings = try server().database()
        let first = try PostgresLedger.open(settings, options: sameFolder)
        defer { first.close() }
        let second = try PostgresLedger.open(settings, options: sameFolder)
        defer { second.close() }
        try backends(settings, "pg_terminate_backend")
        await #expect(throws: LedgerError.self) { try await first.commit([try Sample.entry()]) }
        #expect(first.health.fault != nil)
        try await retrying { _ = try await second.commit([try Sample.entry()]) }
    }

    @Test("A database that went back behind what was acknowledged is refused")
    func wentBack() async throws {
        let settings = try server().database()
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        for _ in 0..<3 { #expect(try await ledger.commit([try Sample.entry()]) == [.committed]) }
        _ = try settings.text("UPDATE writers SET commits = commits - 1")
        try backends(settings, "pg_terminate_backend")
        let error = await #expect(throws: LedgerError.self) { try await ledger.commit([try Sample.entry()]) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("it went back to an earlier state"))
    }

    @Test("A transaction of another that holds a row delays entries about it, and no others")
    func stalledRow() async throws {
        var settings = try server().database()
        settings.lockTimeout = 50
        let ledger = try PostgresLedger.open(settings)
        defer { ledger.close() }
        let (held, free) = (try Sample.device(), try Sample.device())
        _ = try await ledger.commit([try Sample.entry(registrations: [held, free])])
        let other = try PostgresConnection(settings)
        _ = try other.run(
            ["BEGIN", "UPDATE assay.counters SET counter = counter WHERE device = '\\x\(Hex.encode(held.id.bytes))'"].map {
                .once($0)
            },
            within: 10_000)
        let blocked = Task { try await ledger.commit([try Sample.entry(advances: [Sample.advance(held, to: 1)])]) }
        #expect(try await ledger.commit([try Sample.entry(advances: [Sample.advance(free, to: 1)])]) == [.committed])
        let result = await blocked.result
        let error = #expect(throws: LedgerError.self) { try result.get() }
        #expect("\(error.map { "\($0)" } ?? "")".contains("locked (55P03)"))
        other.rollBack(within: 10_000)
        #expect(try await ledger.commit([try Sample.entry(advances: [Sample.advance(held, to: 1)])]) == [.committed])
        _ = try await ledger.status()
    }

    @Test("A purge does not stall commits while another transaction reads the challenges", .timeLimit(.minutes(30)))
    func purgeBehindReader() async throws {
        var settings = try server().database()
        // Longer than the test may take: a purge that waited for the reader would not end.
        (settings.lockTimeout, settings.commitTimeout) = (600_000, 600_000)
        var options = PostgresOptions()
        options.purgeMargin = 0
        let ledger = try PostgresLedger.open(settings, options: options)
        defer { ledger.close() }
        let later = Sample.expiry.adding(milliseconds: 2 * SpentPeriod.length)
        _ = try await ledger.commit([try Sample.entry()])
        let reader = try PostgresConnection(settings)
        _ = try reader.run(["BEGIN", "SELECT count(*) FROM assay.spent"].map { .once($0) }, within: 10_000)
        async let purged: Void = ledger.purge(now: later)
        for _ in 0..<20 {
            #expect(try await ledger.commit([try Sample.entry(spends: [Sample.spend(expiry: later)])]) == [.committed])
        }
        try await purged
        #expect(try await ledger.status().spentHorizon == .distantPast, "the period was dropped although it was read")
        reader.rollBack(within: 10_000)
        try await ledger.purge(now: later)
        #expect(try await ledger.status().spentHorizon == SpentPeriod(of: Sample.expiry).last)
    }

    @Test("An entry with a text that PostgreSQL cannot store fails alone")
    func unholdable() async throws {
        let ledger = try PostgresLedger.open(try server().database())
        defer { ledger.close() }
        let good = try Sample.device()
        let bad = Device(
            id: .random(), app: good.app, subject: nil,
            registration: Registration(
                format: EvidenceFormat(rawValue: "test"), keyID: [9], publicKey: [], environment: "a\u{0}b", anchor: [],
                claims: Claims(), chainSerials: [], receipt: [], simulated: false), registeredAt: Sample.now)
        let outcomes = try await withThrowingTaskGroup(of: CommitOutcome?.self) { group in
            for number in 0..<21 {
                let entry = try Sample.entry(registrations: number == 10 ? [bad] : [])
                group.addTask { try? await ledger.commit([entry]).first }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .committed } == 20)
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(try await ledger.status().auditCount == 20)
    }

    @Test("A closed ledger is unavailable")
    func closed() async throws {
        let ledger = try PostgresLedger.open(try server().database())
        ledger.close()
        ledger.close()
        await #expect(throws: LedgerError.unavailable("the ledger is closed")) { try await ledger.commit([try Sample.entry()]) }
        await #expect(throws: LedgerError.unavailable("the ledger is closed")) { try await ledger.status() }
    }
}
