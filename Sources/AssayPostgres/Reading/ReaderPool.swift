import AssayCore
import AssayLedger
import Synchronization

/// The reading threads, each with a connection of its own. Reads see committed transactions only.
final class ReaderPool: Sendable {
    private let mailbox: Mailbox<any ReadingJob>
    private let settings: PostgresSettings
    private let server: ServerCheck
    private let options: PostgresOptions
    /// Why the database cannot be reached. Meanwhile no caller waits: a thread looks by itself whether it is back.
    private let trouble = Mutex<PostgresError?>(nil)
    /// Of each thread.
    private let busy = Mutex<[BusyTime]>([])

    /// The most records that lookups of one trip look for. Others that wait are for another thread.
    private static let tripLimit = 32

    init(_ settings: PostgresSettings, options: PostgresOptions, server: ServerCheck) {
        mailbox = Mailbox(limit: options.readQueueLimit)
        (self.settings, self.server, self.options) = (settings, server, options)
    }

    /// Runs `body` on a reading thread. It is repeated on a new connection if that of the thread has ended.
    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws(PostgresError) -> T) async throws(LedgerError) -> T {
        try await answer(weight: 1) { PendingRead(body, answer: $0) }
    }

    /// Finds what one statement finds. Lookups that wait at the same time share a trip.
    ///
    /// - Parameter weight: the number of records that are looked for.
    func find<Value>(_ lookup: Lookup<Value>, weight: Int = 1) async throws(LedgerError) -> Value {
        try await answer(weight: weight) { PendingLookup(lookup, answer: $0) }
    }

    private func answer<T: Sendable>(
        weight: Int, _ job: (@escaping @Sendable (Result<T, LedgerError>) -> Void) -> any ReadingJob
    ) async throws(LedgerError) -> T {
        if let trouble = trouble.withLock({ $0 }) { throw trouble.ledgerError }
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, LedgerError>, Never>) in
            let job = job { waiter.resume(returning: $0) }
            switch mailbox.post(job, weight: weight) {
            case .accepted: break
            case .full: job.fail(.overloaded)
            case .closed: job.fail(.unavailable("the ledger is closed"))
            }
        }
        return try result.get()
    }

    /// Why reads that wait are late.
    var lateness: LedgerError? { busy.withLock { $0.lazy.compactMap(\.lateness).first } }

    /// Refuses further reads. Those that wait are still answered.
    func close() { mailbox.close() }

    /// The body of a thread.
    func run() {
        var reader = ReaderConnection(settings, server, pause: options.pauseBetweenConnects)
        let busy = BusyTime()
        self.busy.withLock { $0.append(busy) }
        while let jobs = mailbox.take(
            upTo: Self.tripLimit, within: reader.trouble == nil ? nil : options.pauseBetweenLooks,
            joining: { $0.statement != nil })?.items
        {
            let before = reader.trouble
            busy.begin()
            if jobs.isEmpty { reader.reconnect() } else { serve(jobs, &reader) }
            busy.end()
            if before != reader.trouble { trouble.withLock { $0 = reader.trouble } }
        }
    }

    private func serve(_ jobs: [any ReadingJob], _ reader: inout ReaderConnection) {
        guard jobs.count == 1 || !share(jobs, &reader) else { return }
        for job in jobs {
            do throws(PostgresError) { try reader.attempt(job.run) } catch { job.fail(error.ledgerError) }
        }
    }

    /// Answers lookups in one trip. False if one of the statements failed, so that none is answered.
    private func share(_ jobs: [any ReadingJob], _ reader: inout ReaderConnection) -> Bool {
        do throws(PostgresError) {
            try reader.attempt { database throws(PostgresError) in
                let results = try database.run(jobs.compactMap(\.statement))
                for (job, rows) in zip(jobs, results) { job.finish(rows) }
            }
        } catch {
            guard error.endsConnection else { return false }
            for job in jobs { job.fail(error.ledgerError) }
        }
        return true
    }
}

// MARK: Jobs

/// A job of a reading thread, which answers it once.
private protocol ReadingJob: AnyObject, Sendable {
    /// The statement of a lookup; `nil` for other reads.
    var statement: SQLStatement? { get }
    /// Answers a lookup by the statement's result.
    func finish(_ rows: PostgresRows)
    /// Reads, and answers. Called again on a new connection if that failed.
    func run(_ database: Database) throws(PostgresError)
    func fail(_ failure: LedgerError)
}

private final class PendingRead<Value: Sendable>: ReadingJob {
    private let body: @Sendable (Database) throws(PostgresError) -> Value
    private let answer: @Sendable (Result<Value, LedgerError>) -> Void

    init(
        _ body: @escaping @Sendable (Database) throws(PostgresError) -> Value,
        answer: @escaping @Sendable (Result<Value, LedgerError>) -> Void
    ) {
        (self.body, self.answer) = (body, answer)
    }

    var statement: SQLStatement? { nil }
    func finish(_ rows: PostgresRows) {}
    func run(_ database: Database) throws(PostgresError) { answer(.success(try body(database))) }
    func fail(_ failure: LedgerError) { answer(.failure(failure)) }
}

private final class PendingLookup<Value: Sendable>: ReadingJob {
    private let lookup: Lookup<Value>
    private let answer: @Sendable (Result<Value, LedgerError>) -> Void

    init(_ lookup: Lookup<Value>, answer: @escaping @Sendable (Result<Value, LedgerError>) -> Void) {
        (self.lookup, self.answer) = (lookup, answer)
    }

    var statement: SQLStatement? { lookup.statement }

    func finish(_ rows: PostgresRows) {
        do throws(PostgresError) { answer(.success(try lookup.value(rows))) } catch { fail(error.ledgerError) }
    }

    func run(_ database: Database) throws(PostgresError) { answer(.success(try database.find(lookup))) }
    func fail(_ failure: LedgerError) { answer(.failure(failure)) }
}
