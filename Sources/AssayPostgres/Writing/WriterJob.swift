import AssayCore

/// A job of the writer.
protocol WriterJob: AnyObject, Sendable {
    /// Reports the failure of the job. Called once, unless the job reports its result.
    func fail(_ failure: LedgerError)
}

/// Entries to commit, which may share a transaction with those of other jobs. Without entries the job ends when a commit has shown that all
/// that was in the database before is durable.
final class EntriesJob: WriterJob {
    let entries: [LedgerEntry]
    private let answer: @Sendable (Result<[CommitOutcome], LedgerError>) -> Void

    init(_ entries: [LedgerEntry], answer: @escaping @Sendable (Result<[CommitOutcome], LedgerError>) -> Void) {
        (self.entries, self.answer) = (entries, answer)
    }

    func fail(_ failure: LedgerError) { answer(.failure(failure)) }
    func finish(_ outcomes: [CommitOutcome]) { answer(.success(outcomes)) }
}

/// Another change, in a transaction of its own.
protocol ChangeJob: WriterJob {
    /// Makes the change. Called again if the transaction is repeated.
    func apply(in transaction: WriterTransaction) throws(PostgresError)
    /// Reports the result of the last `apply`, after the transaction became durable.
    func finish()
}

/// A change with a result that a caller waits for.
///
/// Unchecked: only the writer's thread uses `result`.
final class PendingChange<Value: Sendable>: ChangeJob, @unchecked Sendable {
    private let body: @Sendable (WriterTransaction) throws(PostgresError) -> Value
    private let answer: @Sendable (Result<Value, LedgerError>) -> Void
    private var result: Value?

    init(
        _ body: @escaping @Sendable (WriterTransaction) throws(PostgresError) -> Value,
        answer: @escaping @Sendable (Result<Value, LedgerError>) -> Void
    ) {
        (self.body, self.answer) = (body, answer)
    }

    func apply(in transaction: WriterTransaction) throws(PostgresError) { result = try body(transaction) }

    func finish() { answer(result.map { .success($0) } ?? .failure(.unavailable("the writer gave no answer"))) }
    func fail(_ failure: LedgerError) { answer(.failure(failure)) }
}
