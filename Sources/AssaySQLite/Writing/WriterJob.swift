import AssayCore

/// A job of the writer inside a transaction that other jobs may share.
protocol WriterJob: AnyObject, Sendable {
    /// Makes the changes of the job. Called again if the transaction is repeated without the other jobs.
    func apply(in session: WriterSession) throws(SQLiteFailure)
    /// Reports the result, after the transaction became durable or failed. Called once.
    func finish(_ failure: LedgerError?)
}

/// A job with a result that a caller waits for.
///
/// Unchecked: only the writer's thread uses `result`.
final class PendingJob<Value: Sendable>: WriterJob, @unchecked Sendable {
    private let body: @Sendable (WriterSession) throws(SQLiteFailure) -> Value
    private let answer: @Sendable (Result<Value, LedgerError>) -> Void
    private var result: Value?

    init(
        _ body: @escaping @Sendable (WriterSession) throws(SQLiteFailure) -> Value,
        answer: @escaping @Sendable (Result<Value, LedgerError>) -> Void
    ) {
        (self.body, self.answer) = (body, answer)
    }

    func apply(in session: WriterSession) throws(SQLiteFailure) { result = try body(session) }

    func finish(_ failure: LedgerError?) {
        if failure == nil, let result {
            answer(.success(result))
        } else {
            answer(.failure(failure ?? .unavailable("the writer gave no answer")))
        }
    }
}
