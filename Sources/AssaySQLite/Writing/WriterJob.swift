import AssayCore

/// Something for the writer to do inside a transaction that it may share with others.
protocol WriterJob: AnyObject, Sendable {
    /// Does its part. Called again, from the start, if the transaction must be repeated without its neighbours.
    func apply(in session: WriterSession) throws(SQLiteFailure)
    /// Answers, after the transaction was made durable or was given up. Called once.
    func finish(_ failure: LedgerError?)
}

/// A job that somebody waits for.
///
/// Unchecked: `result` is touched only by the writer's thread.
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
