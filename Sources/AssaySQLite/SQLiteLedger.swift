package import AssayCore
import Synchronization

/// The ledger on SQLite: one file, one writing thread with group commit, readers that it never blocks.
///
/// Write-ahead log, `synchronous=FULL`: a commit returns after the log was synced. Files are readable by their owner
/// only. The file has one owner (`LedgerLock`); if another process writes all the same, nothing is accepted twice, because
/// everything is rechecked inside the transaction. Nothing is accepted any more after damage was met or one of the files was
/// exchanged.
package final class SQLiteLedger: Sendable {
    private let writer: LedgerWriter
    private let readers: ReaderPool
    private let cache: DeviceCache
    private let checkpointer: Checkpointer
    let health: LedgerHealth
    private let lock: LedgerLock?
    private let threads: Mutex<[NamedThread]>

    /// Opens the ledger at `path` and brings it to the newest schema. The directory must exist; the file is created. Throws
    /// `.unavailable` with the owner's process id where the ledger is open already.
    package static func open(
        path: String, options: LedgerOptions = LedgerOptions()
    ) throws(LedgerError) -> SQLiteLedger {
        try LedgerFile.checkDirectory(of: path)
        let lock = options.isExclusive ? try LedgerLock(of: LedgerFile.resolved(path)) : nil
        try LedgerFile.prepare(path, mayCreate: options.mayCreate)
        let place = try LedgerPlace(path)
        do throws(SQLiteFailure) {
            let connection = try SQLiteConnection.ledger(at: path, options)
            try connection.settleFile()
            try Schema.migrate(connection)
            // For readers, which may come before the writer; see WriterSession.
            try connection.emptyLog()
        } catch {
            throw error.ledgerError
        }
        return try SQLiteLedger(place, lock, options: options)
    }

    private init(_ place: LedgerPlace, _ lock: LedgerLock?, options: LedgerOptions) throws(LedgerError) {
        self.lock = lock
        health = LedgerHealth(report: options.onFault)
        cache = DeviceCache(bytes: options.deviceCacheBytes)
        readers = ReaderPool(path: place.path, options: options, health: health)
        checkpointer = Checkpointer(path: place.path, options: options, health: health)
        writer = LedgerWriter(
            place, options: options, cache: cache, readers: readers, checkpointer: checkpointer, health: health)
        threads = Mutex([])
        let bodies = [("assay-ledger", writer.run), ("assay-ckpt", checkpointer.run)]
        for (name, body) in bodies {
            guard let thread = NamedThread(name, body) else { throw .unavailable("no thread to write with") }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit { close() }

    /// Takes no more, waits until what was taken is answered, and closes the file. Blocks; the second time does nothing.
    package func close() {
        // Before the writer can end: the connection that closes last copies the log into the ledger's file and removes it, and only
        // the writer's does.
        readers.close()
        writer.close()
        checkpointer.close()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
        lock?.release()
    }

    /// Lets the writer run `body` in a transaction, possibly together with other jobs.
    func write<T: Sendable>(
        weight: Int = 1, _ body: @escaping @Sendable (WriterSession) throws(SQLiteFailure) -> T
    ) async throws(LedgerError) -> T {
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, LedgerError>, Never>) in
            writer.post(PendingJob(body) { waiter.resume(returning: $0) }, weight: weight)
        }
        return try result.get()
    }

    func read<T>(_ body: (LedgerReader) throws(SQLiteFailure) -> T) async throws(LedgerError) -> T {
        // Where nobody writes, nobody would find out that the file is whole again.
        if readers.isShut { try await write { _ in } }
        return try readers.read(body)
    }
}

extension SQLiteLedger: Ledger {
    package func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome] {
        guard !entries.isEmpty else { return [] }
        return try await write(weight: entries.count) { session throws(SQLiteFailure) in
            var outcomes: [CommitOutcome] = []
            outcomes.reserveCapacity(entries.count)
            for entry in entries { outcomes.append(try session.apply(entry)) }
            return outcomes
        }
    }

    package func device(_ key: DeviceKey) async throws(LedgerError) -> Device? {
        let (held, epoch) = cache.device(key)
        if let held { return held }
        let found = try await read { reader throws(SQLiteFailure) in try reader.device(key) }
        if let found { cache.insert(found, readAfter: epoch) }
        return found
    }

    package func device(_ id: DeviceID) async throws(LedgerError) -> Device? {
        try await read { reader throws(SQLiteFailure) in try reader.device(id) }
    }

    package func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict? {
        try await read { reader throws(SQLiteFailure) in try reader.verdict(idempotencyKey, now: now) }
    }

    package func purge(now: Timestamp) async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.spent.purge(now: now) }
        while try await write({ session throws(SQLiteFailure) in try session.idempotency.purge(now: now) }) {}
    }

    package func audit(from number: Int64, limit: Int) async throws(LedgerError) -> AuditPage {
        try await read { reader throws(SQLiteFailure) in try reader.audit(from: number, limit: limit) }
    }

    package func auditClaims(of number: Int64) async throws(LedgerError) -> AuditClaims? {
        try await read { reader throws(SQLiteFailure) in try reader.auditClaims(of: number) }
    }

    package func record(_ change: AuditChange, at time: Timestamp) async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.audit.append(change, at: time) }
    }

    package func forgetAuditClaims(
        of device: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> Int64 {
        var count: Int64 = 0
        while true {
            let some = try await write { session throws(SQLiteFailure) in
                try session.audit.forgetClaims(of: device, app, context)
            }
            count += some
            guard some >= AuditClaimsTable.forgetLimit else { return count }
        }
    }

    package func trim(to limits: Retention) async throws(LedgerError) -> Trimmed {
        var trimmed = Trimmed()
        if limits.auditFrom != nil || limits.auditRows != nil {
            // Read and verified here, so that the writer is left with one statement.
            let page = try await audit(from: .min, limit: AuditPage.limit)
            let (chain, fault) = page.droppable(under: limits)
            if chain != page.start {
                try await write { session throws(SQLiteFailure) in try session.audit.drop(upTo: chain) }
            }
            trimmed.auditRows = chain.number - page.start.number
            (trimmed.start, trimmed.fault) = (chain, fault)
            if let fault { health.stop(.corrupt("audit \(fault)")) }
            trimmed.hasMore = trimmed.auditRows == AuditPage.limit
        }
        if let limit = limits.verdicts {
            trimmed.verdicts = try await write { session throws(SQLiteFailure) in try session.idempotency.trim(to: limit) }
            trimmed.hasMore = trimmed.hasMore || trimmed.verdicts >= IdempotencyTable.purgeLimit
        }
        guard !trimmed.hasMore else { return trimmed }
        // Counted by a reader, which goes through the tables' leaves: once, after everything else.
        let census = try await read { reader throws(SQLiteFailure) in try reader.spentCensus() }
        trimmed.evidence = census.evidence
        if let limit = limits.challenges {
            trimmed.challenges = try await forgetChallenges(atLeast: census.challenges - max(0, limit))
        }
        return trimmed
    }

    /// Bit by bit, so that commits get their turn between. Returns how many there were.
    private func forgetChallenges(atLeast excess: Int64) async throws(LedgerError) -> Int64 {
        var forgotten: Int64 = 0
        while forgotten < excess {
            let rest = excess - forgotten
            let some = try await write { session throws(SQLiteFailure) in
                try session.spent.forgetChallenges(atLeast: rest)
            }
            guard some > 0 else { break }
            forgotten += some
        }
        return forgotten
    }

    package func secrets() async throws(LedgerError) -> [WrappedSecret] {
        try await read { reader throws(SQLiteFailure) in try reader.secrets() }
    }

    package func add(_ secret: WrappedSecret) async throws(LedgerError) -> WrappedSecret {
        try await write { session throws(SQLiteFailure) in try session.secrets.add(secret) }
    }

    package func removeSecret(name: String, number: UInt32) async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.secrets.remove(name: name, number: number) }
    }

    package func clockMemory() async throws(LedgerError) -> ClockMemory? {
        try await read { reader throws(SQLiteFailure) in try reader.clockMemory() }
    }

    package func keep(_ memory: ClockMemory) async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.marks.keep(memory) }
    }

    /// Throws also where reading works, if nothing is accepted: after damage, and while the disk takes nothing.
    package func status() async throws(LedgerError) -> LedgerStatus {
        if let fault = health.fault { throw fault }
        if health.isUnwritten { try await write { session throws(SQLiteFailure) in try session.marks.probe() } }
        return try await read { reader throws(SQLiteFailure) in try reader.ledgerStatus() }
    }
}
