package import AssayCore
import Synchronization

/// A ledger in a SQLite file: one writing thread with group commit, and readers that it never blocks.
///
/// With a write-ahead log and `synchronous=FULL`, a commit returns after the log was synced. Files are readable by their owner
/// only. The file has one owner (`LedgerLock`). If another process writes nevertheless, nothing is accepted twice, because every
/// check is repeated inside the transaction. After damage, or after a file was exchanged, nothing is accepted.
package final class SQLiteLedger: Sendable {
    private let writer: LedgerWriter
    private let readers: ReaderPool
    let cache: DeviceCache
    private let checkpointer: Checkpointer
    let health: LedgerHealth
    private let lock: LedgerLock?
    private let threads: Mutex<[NamedThread]>

    /// Opens the ledger at `path`, creates the file if there is none, and migrates it to the newest schema. The directory must exist.
    /// Throws `.unavailable` with the owner's process id if the ledger is open already.
    package static func open(
        path: String, options: LedgerOptions = LedgerOptions()
    ) throws(LedgerError) -> SQLiteLedger {
        try LedgerFile.checkDirectory(of: path)
        if let why = LedgerFile.oddSideFile(of: path) { throw .unavailable(why) }
        let lock: LedgerLock?
        if options.isExclusive {
            lock = try LedgerLock(of: path, mayCreate: options.mayCreate)
        } else {
            lock = nil
            try LedgerFile.make(path, mayCreate: options.mayCreate)
        }
        try LedgerFile.protect(path)
        let place = try LedgerPlace(path)
        do throws(SQLiteFailure) {
            try bringUpToDate(path, options)
        } catch {
            throw error.ledgerError
        }
        return try SQLiteLedger(place, lock, options: options)
    }

    /// Migrates the file with a connection that is closed on return, so that the lock can be released afterwards.
    private static func bringUpToDate(_ path: String, _ options: LedgerOptions) throws(SQLiteFailure) {
        let connection = try SQLiteConnection.ledger(at: path, options)
        try connection.settleFile()
        try Schema.migrate(connection)
        // For readers, which may come before the writer; see WriterSession.
        try connection.emptyLog()
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

    /// Refuses further calls, waits until running ones are answered, and closes the file. Blocks. A second call does nothing.
    package func close() {
        // Before the writer ends: SQLite copies the log into the file and removes it when the last connection closes, and that
        // must be the writer's.
        readers.close()
        writer.close()
        checkpointer.close()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
        // Every connection is closed now: `readers.close` has waited for running reads.
        lock?.release()
    }

    /// Runs `body` on the writer's thread, in a transaction that other jobs may share.
    func write<T: Sendable>(
        weight: Int = 1, _ body: @escaping @Sendable (WriterSession) throws(SQLiteFailure) -> T
    ) async throws(LedgerError) -> T {
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, LedgerError>, Never>) in
            writer.post(PendingJob(body) { waiter.resume(returning: $0) }, weight: weight)
        }
        return try result.get()
    }

    /// Runs `body` with a reading connection, on the caller's thread.
    func read<T>(_ body: (LedgerReader) throws(SQLiteFailure) -> T) async throws(LedgerError) -> T {
        // Only the writer finds out that the file is back, so a reader wakes it.
        if readers.isShut { try await write { _ in } }
        return try readers.read(body)
    }
}
