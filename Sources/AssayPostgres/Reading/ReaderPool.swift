import AssayCore
import AssayLedger
import AssayMetrics
import Synchronization

/// The reading threads, each with a connection of its own. Reads see committed transactions only.
final class ReaderPool: Sendable {
    private let mailbox: Mailbox<any ReadingJob>
    private let settings: PostgresSettings
    private let server: ServerCheck
    private let pause: UInt64

    init(_ settings: PostgresSettings, options: PostgresOptions, server: ServerCheck) {
        mailbox = Mailbox(limit: options.readQueueLimit)
        (self.settings, self.server, pause) = (settings, server, options.pauseBetweenConnects)
    }

    /// Runs `body` on a reading thread. It is repeated on a new connection if that of the thread has ended.
    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws(PostgresError) -> T) async throws(LedgerError) -> T {
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, LedgerError>, Never>) in
            let job = PendingRead(body) { waiter.resume(returning: $0) }
            switch mailbox.post(job, weight: 1) {
            case .accepted: break
            case .full: job.fail(.overloaded)
            case .closed: job.fail(.unavailable("the ledger is closed"))
            }
        }
        return try result.get()
    }

    /// Refuses further reads. Those that wait are still answered.
    func close() { mailbox.close() }

    /// The body of a thread.
    func run() {
        var connection: PostgresConnection?
        var lastFailure: (error: PostgresError, at: UInt64)?
        while let (jobs, _) = mailbox.take(upTo: 1) {
            for job in jobs {
                var failure: PostgresError?
                for _ in 0..<2 {
                    do throws(PostgresError) {
                        if connection?.isUsable != true {
                            connection = nil
                            if let lastFailure, MonotonicTime.nanoseconds() &- lastFailure.at < pause {
                                throw lastFailure.error
                            }
                            connection = try server.connect()
                            lastFailure = nil
                        }
                        guard let connection else { break }
                        try job.run(Database(connection: connection, timeout: settings.readTimeout))
                        failure = nil
                        break
                    } catch {
                        failure = error
                        if connection == nil {
                            if lastFailure?.error != error { lastFailure = (error, MonotonicTime.nanoseconds()) }
                            break
                        }
                        // A read that took too long is not repeated.
                        guard error.endsConnection, error.kind != .deadline else {
                            if error.endsConnection { connection = nil }
                            break
                        }
                        connection = nil
                    }
                }
                if let failure { job.fail(failure.ledgerError) }
            }
        }
    }
}

/// A job of a reading thread.
private protocol ReadingJob: AnyObject, Sendable {
    /// Reads, and reports the result. Called again on a new connection if that failed.
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

    func run(_ database: Database) throws(PostgresError) { answer(.success(try body(database))) }
    func fail(_ failure: LedgerError) { answer(.failure(failure)) }
}
