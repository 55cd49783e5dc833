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
    let cache: DeviceCache
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
