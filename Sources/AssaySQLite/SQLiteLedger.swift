package import AssayCore
import AssayLedger
import Synchronization

/// A ledger in a SQLite file: one writing thread with group commit, and readers that it never blocks.
///
/// With a write-ahead log and `synchronous=FULL`, a commit returns after the log was synced. Files are readable by their owner
/// only. The file has one owner (`LedgerLock`). If another process writes nevertheless, nothing is accepted twice, because every
/// check is repeated inside the transaction. After damage, or after a file was exchanged, nothing is accepted.
package final class SQLiteLedger: Sendable {
    private let writer: LedgerWriter
    private let readers: ReaderPool
    let caches: LedgerCaches
    let checkpointer: Checkpointer
    let health: LedgerHealth
    /// What the last status found.
    let lastVerdict = Mutex(LastVerdict())
    private let lock: LedgerLock?
    private let threads: Mutex<[NamedThread]>
    /// The ledger's file.
    let path: String

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
        do throws(SQLiteError) {
            try bringUpToDate(path, options)
        } catch {
            throw error.ledgerError
        }
        return try SQLiteLedger(place, lock, options: options)
    }

    /// Migrates the file with a connection that is closed on return, so that the lock can be released afterwards.
    private static func bringUpToDate(_ path: String, _ options: LedgerOptions) throws(SQLiteError) {
        let connection = try SQLiteConnection.ledger(at: path, options)
        try connection.settleFile()
        try Schema.migrate(connection)
        // For readers, which may come before the writer; see WriterSession.
        try connection.emptyLog()
    }

    private init(_ place: LedgerPlace, _ lock: LedgerLock?, options: LedgerOptions) throws(LedgerError) {
        (self.lock, path) = (lock, place.path)
        health = LedgerHealth(report: options.onFault)
        caches = LedgerCaches(options)
        readers = ReaderPool(path: place.path, options: options, health: health)
        checkpointer = Checkpointer(path: place.path, options: options, health: health)
        writer = LedgerWriter(
            place, options: options, caches: caches, readers: readers, checkpointer: checkpointer, health: health)
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
        // SQLite copies the log into the file and removes it when the last connection closes, and that must be the writer's.
        readers.close()
        writer.close()
        checkpointer.close()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
        if !running.isEmpty { writer.disconnect() }
        // Every connection is closed now: `readers.close` has waited for running reads.
        lock?.release()
    }

    /// The measurements of the writer, and the entries that wait for it.
    var times: CommitTimes { writer.times }
    var waitingEntries: Int { writer.waiting }

    /// Runs `body` on the writer's thread, in a transaction that other jobs may share; or on the caller's, if that is one of an executor which the
    /// task prefers, the writer has nothing to do and the disk is quick. Such a task is the only call in work, so that no other waits with it for the
    /// disk.
    func write<T: Sendable>(
        weight: Int = 1, _ body: @escaping @Sendable (WriterSession) throws(SQLiteError) -> T
    ) async throws(LedgerError) -> T {
        if Self.isOnThreadOfItsOwn, let result = writer.perform(weight: weight, body) { return try result.get() }
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, LedgerError>, Never>) in
            writer.post(PendingJob(body) { waiter.resume(returning: $0) }, weight: weight)
        }
        return try result.get()
    }

    /// Runs `body` with a reading connection, on the caller's thread, unless that is one of an executor which the task prefers, such as an event
    /// loop, and the disk is not quick: a read may wait for it.
    func read<T>(_ body: (LedgerReader) throws(SQLiteError) -> T) async throws(LedgerError) -> T {
        // Only the writer finds out that the file is back, so a reader wakes it.
        if readers.isShut { try await write { _ in } }
        guard Self.isOnThreadOfItsOwn, !writer.isDiskQuick else { return try readers.read(body) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(LedgerError) in
            try readers.read(body)
        }
    }

    /// Whether the task prefers an executor, such as an event loop: one on which a short call that is the only one in flight is worked on.
    private static var isOnThreadOfItsOwn: Bool { withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil } }
}

/// Limits and timing of a SQLite ledger. The defaults are for production; tests use smaller ones.
package struct LedgerOptions: Sendable {
    /// The most entries that wait for the writer. Further ones are `.overloaded` at once.
    package var queueLimit = 8192
    /// The most entries in one transaction, unless a single call has more.
    package var batchLimit = 512
    /// The pause of the writer after a commit under load, in microseconds, so that more entries share the next one: each commit costs a
    /// sync and the pages that it touches, whatever its size is.
    package var gatherMicroseconds: UInt32 = 2000
    /// The size of a commit, in entries, from which on the writer pauses.
    package var gatherFrom = 8
    /// A caller waits for the disk itself only where the last commit took at most so long, in microseconds: an SSD syncs in less, and a disk that has
    /// become slow holds up a caller's thread once.
    package var quickCommitMicroseconds: UInt64 = 2000
    /// The longest wait for another process's lock, in milliseconds. Short, because callers wait for an answer.
    package var busyTimeout: Int32 = 250
    /// The number of log frames (4 KiB each) after which they are copied into the database, while commits go on: 1 MiB. What is written at once is
    /// what a commit's sync may have to wait for.
    package var checkpointStep = 256
    /// The number of log frames from which on the writer ends a checkpoint, so that the log restarts: 16 MiB.
    package var checkpointFrames = 4096
    /// The size to which the log file is truncated when it restarts, in bytes.
    package var logSizeLimit: Int64 = 64 << 20
    /// The writer's page cache, in bytes.
    package var pageCacheBytes: Int64 = 64 << 20
    /// The size of the cache of decoded device records, in bytes.
    package var deviceCacheBytes = 64 << 20
    /// The size of the cache of the records of certificates, in bytes: those of some 12,000 cameras.
    package var certificateCacheBytes = 32 << 20
    /// The size of the cache of the numbers of devices' submissions, in bytes: those of some 50,000 cameras.
    package var submissionCacheBytes = 8 << 20
    /// The most idle reading connections.
    package var idleReaders = 8
    /// Whether a missing ledger is created.
    package var mayCreate = true
    /// Whether the file is locked against other owners. Tests that open one file twice switch it off.
    package var isExclusive = true
    /// The period at which an idle writer checks the ledger's files, in milliseconds.
    package var watchPeriod: Int32 = 1000
    /// Called on the ledger's threads when its state changes.
    package var onFault: @Sendable (LedgerFault) -> Void = { _ in }
    /// The name of SQLite's VFS; `nil` for the default one. Tests use one with faults.
    package var vfs: String?

    package init() {}
}
