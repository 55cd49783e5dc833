import AssayCore
import AssayLedger

/// The writer's connection with its prepared statements, and its memory of the file between transactions: horizon, periods, head of
/// the audit chain.
///
/// The memory is ahead of the transaction. After a failed transaction the session is closed, or reads the file again.
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
    let certificates: CertificateTable
    let submissions: SubmissionTable
    let revocations: RevocationTable
    let enrolments: EnrolmentTable
    let fleet: FleetTable
    let secrets: SecretTable
    let callerKeys: CallerKeyTable
    let resultKeys: ResultKeyTable
    let statuses: StatusTable
    let payloads: PayloadTable
    let uploads: UploadTable
    let policies: PolicyTable
    let marks: MetaTable
    private(set) var spent: SpentTokens
    private(set) var audit: AuditTable

    /// The changes of cached devices in the transaction.
    private(set) var deviceChanges: [DeviceChange] = []
    /// True if another process changed the file, so that nothing in memory can be trusted.
    private(set) var othersWrote = false

    init(path: String, options: LedgerOptions) throws(SQLiteError) {
        connection = try SQLiteConnection.ledger(at: path, options)
        try Schema.check(connection)
        // A log that exists on opening may end in a transaction whose sync failed or never ran, and SQLite takes it for committed.
        // A second sync of the log proves nothing: after a failed sync the kernel treats the pages as clean. Copied into the
        // database, which is then synced, the transaction is durable before it is reported.
        try connection.emptyLog()
        try connection.execute("PRAGMA cache_size=-\(options.pageCacheBytes / 1024)")
        begin = try SQLiteStatement(connection, "BEGIN IMMEDIATE")
        commitStatement = try SQLiteStatement(connection, "COMMIT")
        dataVersion = try SQLiteStatement(connection, "PRAGMA data_version")
        counters = try CounterTable(connection)
        blocks = try BlockTable(connection)
        devices = try DeviceTable(connection)
        idempotency = try IdempotencyTable(connection)
        certificates = try CertificateTable(connection)
        submissions = try SubmissionTable(connection)
        revocations = RevocationTable(connection: connection)
        enrolments = EnrolmentTable(connection: connection)
        fleet = FleetTable(connection: connection)
        secrets = SecretTable(connection)
        callerKeys = CallerKeyTable(connection)
        resultKeys = ResultKeyTable(connection: connection)
        statuses = try StatusTable(connection)
        payloads = try PayloadTable(connection)
        uploads = try UploadTable(connection)
        policies = PolicyTable(connection: connection)
        marks = MetaTable(connection)
        spent = try SpentTokens(connection)
        audit = try AuditTable(connection)
    }

    /// Keeps the log when the session closes: the ledger's files are damaged, or are not those that it has open.
    func keepLog() { try? connection.keepLogWhenClosed() }

    /// Copies the log, whose name was removed, into the ledger's file. Otherwise it would be lost with this process.
    func rescueLog() -> Bool { (try? connection.copyLog()) ?? false }

    /// Starts a transaction, and renews the memory of the file if another connection changed it.
    func start() throws(SQLiteError) {
        deviceChanges.removeAll(keepingCapacity: true)
        devices.start()
        try begin.run()
        let version = try dataVersion.first { $0.int64(0) } ?? 0
        othersWrote = version != knownDataVersion
        certificates.start(forgetting: othersWrote)
        submissions.start(forgetting: othersWrote)
        guard othersWrote else { return }
        spent = try SpentTokens(connection)
        audit = try AuditTable(connection)
        knownDataVersion = version
    }

    /// Makes the transaction durable: with `synchronous=FULL` SQLite syncs the log before it returns.
    func commit() throws(SQLiteError) {
        try devices.keepCount()
        try commitStatement.run()
    }

    func rollBack() {
        knownDataVersion = -1
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    }

    func note(_ change: DeviceChange) { deviceChanges.append(change) }

    /// Runs `body`, and reverts its changes unless it returns true.
    func attempt(_ body: () throws(SQLiteError) -> Bool) throws(SQLiteError) -> Bool {
        let (changes, added) = (deviceChanges.count, devices.added)
        try connection.execute("SAVEPOINT attempt")
        let done = try body()
        if !done {
            try connection.execute("ROLLBACK TO attempt")
            deviceChanges.removeSubrange(changes...)
            devices.revert(to: added)
        }
        try connection.execute("RELEASE attempt")
        return done
    }

    func checkpoint() throws(SQLiteError) { _ = try connection.checkpoint() }

    /// Installs a hook that receives the number of frames in the log after each commit.
    func onCommit(_ hook: CommitHook) { hook.install(on: connection) }
}

/// A job of the writer inside a transaction that other jobs may share.
protocol WriterJob: AnyObject, Sendable {
    /// Makes the changes of the job. Called again if the transaction is repeated without the other jobs.
    func apply(in session: WriterSession) throws(SQLiteError)
    /// Reports the result, after the transaction became durable or failed. Called once.
    func finish(_ failure: LedgerError?)
}

/// A job with a result that a caller waits for.
///
/// Unchecked: only the writer's thread uses `result`.
final class PendingJob<Value: Sendable>: WriterJob, @unchecked Sendable {
    private let body: @Sendable (WriterSession) throws(SQLiteError) -> Value
    private let answer: @Sendable (Result<Value, LedgerError>) -> Void
    private var result: Value?

    init(
        _ body: @escaping @Sendable (WriterSession) throws(SQLiteError) -> Value,
        answer: @escaping @Sendable (Result<Value, LedgerError>) -> Void
    ) {
        (self.body, self.answer) = (body, answer)
    }

    func apply(in session: WriterSession) throws(SQLiteError) { result = try body(session) }

    func finish(_ failure: LedgerError?) {
        if failure == nil, let result {
            answer(.success(result))
        } else {
            answer(.failure(failure ?? .noAnswer))
        }
    }
}

/// A job of a caller that does the writer's work itself.
///
/// Unchecked: only the caller's thread uses `value` and `failure`.
final class DirectJob<Value: Sendable>: WriterJob, @unchecked Sendable {
    private let body: @Sendable (WriterSession) throws(SQLiteError) -> Value
    private var value: Value?
    private var failure: LedgerError?

    init(_ body: @escaping @Sendable (WriterSession) throws(SQLiteError) -> Value) { self.body = body }

    func apply(in session: WriterSession) throws(SQLiteError) { value = try body(session) }

    func finish(_ failure: LedgerError?) { self.failure = failure }

    var result: Result<Value, LedgerError> {
        if failure == nil, let value { return .success(value) }
        return .failure(failure ?? .noAnswer)
    }
}

extension LedgerError {
    fileprivate static let noAnswer = LedgerError.unavailable("the writer gave no answer")
}
