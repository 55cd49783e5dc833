import AssayCore

/// The writer's connection with its prepared statements and what it remembers of the file between transactions.
///
/// What is remembered (horizon, periods, head of the audit chain) runs ahead of the transaction. A session whose
/// transaction failed is therefore thrown away or reloaded, never used on.
final class WriterSession {
    private let connection: SQLiteConnection
    private let begin: SQLiteStatement
    private let commitStatement: SQLiteStatement
    private let dataVersion: SQLiteStatement
    private var knownDataVersion: Int64 = -1

    let counters: CounterTable
    let blocks: BlockTable
    let devices: DeviceTable
    let idempotency: IdempotencyTable
    let secrets: SecretTable
    let marks: MetaTable
    private(set) var spent: SpentTokens
    private(set) var audit: AuditAppender

    /// What a committed transaction changed of devices that readers may hold in memory.
    private(set) var deviceChanges: [DeviceChange] = []
    /// True if another process changed the file: nothing that is held in memory can be trusted.
    private(set) var othersWrote = false

    init(path: String, options: LedgerOptions) throws(SQLiteFailure) {
        connection = try SQLiteConnection.ledger(at: path, options)
        try Schema.check(connection)
        // A log found on opening may end in a transaction that was written but whose sync failed or never came, and
        // SQLite takes it for committed. Syncing the log again proves nothing: after a failed sync the kernel holds the
        // pages for clean. Copied into the database, which is then synced, they are durable before anybody hears of them.
        try connection.emptyLog()
        try connection.execute("PRAGMA cache_size=-\(options.pageCacheBytes / 1024)")
        begin = try SQLiteStatement(connection, "BEGIN IMMEDIATE")
        commitStatement = try SQLiteStatement(connection, "COMMIT")
        dataVersion = try SQLiteStatement(connection, "PRAGMA data_version")
        counters = try CounterTable(connection)
        blocks = try BlockTable(connection)
        devices = try DeviceTable(connection)
        idempotency = try IdempotencyTable(connection)
        secrets = SecretTable(connection)
        marks = MetaTable(connection)
        spent = try SpentTokens(connection)
        audit = try AuditAppender(connection)
    }

    /// Leaves the log as it is when the session goes: the ledger's files are not those that it has open, or are damaged.
    func keepLog() { try? connection.keepLogWhenClosed() }

    /// Copies the log, which has no name any more, into the ledger's file: otherwise it would go with this process.
    func rescueLog() -> Bool { (try? connection.copyLog()) ?? false }

    /// Starts a transaction, and reads again what is remembered if the file was changed by another connection.
    func start() throws(SQLiteFailure) {
        deviceChanges.removeAll(keepingCapacity: true)
        try begin.run()
        let version = try dataVersion.first { $0.int64(0) } ?? 0
        othersWrote = version != knownDataVersion
        guard othersWrote else { return }
        spent = try SpentTokens(connection)
        audit = try AuditAppender(connection)
        knownDataVersion = version
    }

    /// Makes the transaction durable: with `synchronous=FULL` SQLite syncs the log before it returns.
    func commit() throws(SQLiteFailure) { try commitStatement.run() }

    func rollBack() {
        knownDataVersion = -1
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    }

    func note(_ change: DeviceChange) { deviceChanges.append(change) }

    /// Runs `body` so that it leaves no trace unless it returns true.
    func attempt(_ body: () throws(SQLiteFailure) -> Bool) throws(SQLiteFailure) -> Bool {
        let changes = deviceChanges.count
        try connection.execute("SAVEPOINT attempt")
        let done = try body()
        if !done {
            try connection.execute("ROLLBACK TO attempt")
            deviceChanges.removeSubrange(changes...)
        }
        try connection.execute("RELEASE attempt")
        return done
    }

    func checkpoint() throws(SQLiteFailure) { try connection.checkpoint() }

    /// Called after each commit with the number of frames in the log.
    func onCommit(_ hook: CommitHook) { hook.install(on: connection) }
}
