package import AssayCore
import AssayLedger
import Synchronization

/// A ledger in a PostgreSQL database, which several daemons may share: one writing thread with group commit, and reading threads.
///
/// - A commit takes two trips. The first locks the rows in which entries meet others, in one order, and reads them; the entries are
///   then decided here, and the second trip writes and commits. READ COMMITTED: each statement sees what was committed before it.
/// - Each daemon has a writer name, and under it an audit chain of its own.
/// - Cached devices may be older than the database, by `PostgresOptions.cacheLifetime` at most. What decides an acceptance is read again
///   in the commit.
package final class PostgresLedger: Sendable {
    private let writer: LedgerWriter
    private let readers: ReaderPool
    let cache: DeviceCache
    let health: LedgerHealth
    private let server: ServerCheck
    private let threads: Mutex<[NamedThread]>
    private let listener: ChangeListener
    /// How far this daemon's clock was ahead of the server's when they were last compared, in milliseconds, and what of that was told.
    let clockDifference = Atomic<Int64>(0)
    let toldClock = Mutex(ClockDistance.near)
    /// The number of the writer.
    let number: Int64
    /// The name of the writer.
    let auditWriter: AuditWriter
    let options: PostgresOptions

    /// Opens the ledger, makes it if there is none, and migrates it to the newest schema. Blocks.
    package static func open(
        _ settings: PostgresSettings, options: PostgresOptions = PostgresOptions()
    ) throws(LedgerError) -> PostgresLedger {
        let mark = options.acknowledged?.mark(of: settings)
        let server = ServerCheck(settings, known: mark)
        let epoch = Int64.random(in: 1...(.max))
        let lease = WriterLease(holder: options.holder, length: options.leaseLength)
        let session: WriterSession
        do throws(PostgresError) {
            let (connection, other) = try server.connectTwice(accepting: mark)
            try RightsCheck.run(connection, settings)
            try Schema.migrate(connection, settings, mayCreate: options.mayCreate)
            try PostgresTransferTarget.check(connection, within: settings.readTimeout)
            try IsolationCheck.run(connection, other, within: settings.commitTimeout)
            session = try WriterSession.open(connection, settings, lease, server: server, epoch: epoch, after: mark) { words in
                options.onFault(.warning(words))
            }
            if session.isSetback { options.onFault(.warning(ServerHistory.setback)) }
        } catch {
            throw server.reason(of: error).ledgerError
        }
        return try PostgresLedger(session, epoch: epoch, settings, options, server)
    }

    private init(
        _ session: WriterSession, epoch: Int64, _ settings: PostgresSettings, _ options: PostgresOptions, _ server: ServerCheck
    ) throws(LedgerError) {
        guard let name = AuditWriter(named: settings.writer) else { throw .unavailable("the settings name no writer") }
        (number, auditWriter, self.options, self.server) = (session.writer, name, options, server)
        health = LedgerHealth(report: options.onFault)
        cache = DeviceCache(bytes: options.deviceCacheBytes, lifetime: options.cacheLifetime)
        readers = ReaderPool(settings, options: options, server: server)
        writer = LedgerWriter(
            session, epoch: epoch, settings: settings, options: options, server: server, cache: cache, health: health)
        listener = try ChangeListener(settings, options, server, cache)
        threads = Mutex([])
        let reading = (0..<max(1, options.readers)).map { ("assay-read-\($0)", readers.run) }
        for (name, body) in [("assay-ledger", writer.run), ("assay-listen", listener.run)] + reading {
            guard let thread = NamedThread(name, body) else { throw .unavailable("no thread to use the database with") }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit { close() }

    /// Refuses further calls, waits until running ones are answered, and closes the connections. Blocks. A second call does nothing.
    package func close() {
        readers.close()
        writer.close()
        listener.close()
        defer { options.acknowledged?.close() }
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
    }

    /// Whether the server waited for a standby with each commit when it was last connected to. If not, a failover can lose verdicts that
    /// were acknowledged.
    package var hasStandby: Bool { server.hasStandby }

    package var isShared: Bool { true }

    package var hasStaleSecrets: Bool { writer.secrets.areStale }

    package var durabilityRisk: String? {
        guard !hasStandby else { return nil }
        return
            "the database confirms commits without a standby (synchronous_standby_names is empty): when a standby is promoted, the last "
            + "verdicts before it can be lost, and what they spent can be spent again"
    }

    /// Whether changes of devices by other daemons are heard of at once.
    var isListening: Bool { listener.isListening }

    package var lateness: LedgerError? { writer.lateness ?? readers.lateness }

    /// The measurements of the writer, and the entries that wait for it.
    var times: CommitTimes { writer.times }
    var waitingEntries: Int { writer.waiting }
    var plainGroups: PlainGroupAttempts.Counts { writer.plainGroups.counts }

    /// Commits entries on the writer's thread, in a transaction that other calls may share.
    func write(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome] {
        let result = await withCheckedContinuation {
            (waiter: CheckedContinuation<Result<[CommitOutcome], LedgerError>, Never>) in
            writer.post(EntriesJob(entries) { waiter.resume(returning: $0) }, weight: entries.count)
        }
        return try result.get()
    }

    /// Returns when all that the database showed before is on the standby's disk too. A commit whose wait for the standby was cancelled is
    /// visible, and a promotion would lose it: what an acceptance is answered by must not rest on it.
    func confirm() async throws(LedgerError) { if hasStandby { _ = try await write([]) } }

    /// The end of this daemon's audit chain that is durable.
    var confirmedChain: AuditChain { writer.confirmed.end }

    /// Runs `body` on the writer's thread, in a transaction of its own.
    func write<T: Sendable>(
        weight: Int = 1, _ body: @escaping @Sendable (WriterTransaction) throws(PostgresError) -> T
    ) async throws(LedgerError) -> T {
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, LedgerError>, Never>) in
            writer.post(PendingChange(body) { waiter.resume(returning: $0) }, weight: weight)
        }
        return try result.get()
    }

    /// Runs `read`, which reads the secrets: they are not stale any more.
    func readingSecrets<T>(_ read: () async throws(LedgerError) -> T) async throws(LedgerError) -> T {
        try await writer.secrets.reading(read)
    }

    /// Finds what one statement finds, in a trip with others that wait.
    ///
    /// - Parameter weight: the number of records that are looked for.
    func find<Value>(_ lookup: Lookup<Value>, weight: Int = 1) async throws(LedgerError) -> Value {
        try await readers.find(lookup, weight: weight)
    }

    /// Runs `body` on a reading thread.
    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws(PostgresError) -> T) async throws(LedgerError) -> T {
        try await readers.read(body)
    }
}

/// Limits and timing of a ledger on PostgreSQL. The defaults are for production; tests use smaller ones.
package struct PostgresOptions: Sendable {
    /// The most entries that wait for the writer. Further ones are `.overloaded` at once.
    package var queueLimit = 8192
    /// The most entries in one transaction, unless a single call has more.
    package var batchLimit = 256
    /// The pause of the writer after a commit under load, in microseconds, so that more entries share the next one.
    package var gatherMicroseconds: UInt32 = 2000
    /// The size of a commit, in entries, from which on the writer pauses.
    package var gatherFrom = 8
    /// The number of reading threads, each with a connection.
    package var readers = 2
    /// The most reads that wait. Further ones are `.overloaded` at once.
    package var readQueueLimit = 8192
    /// The size of the cache of decoded device records, in bytes.
    package var deviceCacheBytes = 64 << 20
    /// How long a cached record is used, in nanoseconds: other daemons write too.
    package var cacheLifetime: UInt64 = 30_000_000_000
    /// How long no connection is tried after one failed, in nanoseconds. Calls fail at once in that time.
    package var pauseBetweenConnects: UInt64 = 500_000_000
    /// The same in milliseconds: how long a thread waits before it looks again whether the database is back.
    var pauseBetweenLooks: Int32 { Int32(clamping: max(10, pauseBetweenConnects / 1_000_000)) }
    /// Tokens are removed so many milliseconds after their expiry: the clocks of daemons differ.
    package var purgeMargin: Int64 = 300_000
    /// How long a process holds its writer's name after each commit, in milliseconds. It is renewed in a third of that.
    package var leaseLength: Int64 = 15_000
    /// This process. By default it is like no other.
    package var holder = LedgerHolder(instance: "\(UInt64.random(in: 0...(.max)))", name: "another process")
    /// How far this daemon's clock may be from the server's, in milliseconds: from the first on a warning is logged, from the second on
    /// nothing is purged.
    package var clockDifference: (warned: Int64, tolerated: Int64) = (5_000, 300_000)
    /// This daemon's clock, as far as it is compared with the server's.
    package var clock: any WallClock = SystemClock()
    /// Keeps what this daemon has acknowledged over its end; `nil`: nothing is kept, and nothing compared at the start.
    package var acknowledged: AcknowledgedCommits?
    /// Whether a missing ledger is created.
    package var mayCreate = true
    /// Called on the ledger's threads when its state changes.
    package var onFault: @Sendable (LedgerFault) -> Void = { _ in }

    package init() {}
}
