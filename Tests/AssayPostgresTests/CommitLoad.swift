import AssayCore
import AssayTesting
import Synchronization
import Testing

@testable import AssayPostgres

/// Commits entries from several tasks until told to stop. Keeps what was answered.
final class CommitLoad: Sendable {
    struct Answers {
        var acknowledged: [LedgerEntry] = []
        var unclear: [LedgerEntry] = []
        var errors: Set<LedgerError> = []
    }

    private let answers = Mutex(Answers())
    private let isEnding = Atomic(false)
    private let tasks: Mutex<[Task<Void, any Error>]> = Mutex([])

    init(_ ledger: PostgresLedger, tasks count: Int = 8) {
        for _ in 0..<count {
            let task = Task {
                while !isEnding.load(ordering: .relaxed) {
                    let entry = try Sample.entry()
                    do {
                        let outcome = try await ledger.commit([entry])
                        guard outcome == [.committed] else { throw ContractViolation("\(outcome)") }
                        answers.withLock { $0.acknowledged.append(entry) }
                    } catch let error as LedgerError {
                        answers.withLock {
                            $0.unclear.append(entry)
                            $0.errors.insert(error)
                        }
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
            }
            tasks.withLock { $0.append(task) }
        }
    }

    var acknowledged: Int { answers.withLock { $0.acknowledged.count } }

    /// Waits until so many more were acknowledged.
    func more(_ count: Int) async throws {
        let wanted = acknowledged + count
        _ = await eventually(within: .seconds(120)) { acknowledged >= wanted }
        try #require(acknowledged >= wanted, "the ledger did not recover: \(answers.withLock { $0.errors })")
    }

    func end() async throws -> Answers {
        isEnding.store(true, ordering: .relaxed)
        for task in tasks.withLock({ $0 }) { try await task.value }
        return answers.withLock { $0 }
    }
}

extension CommitLoad.Answers {
    /// All that was acknowledged is in the audit chain once, in a whole chain; what was not is there once or not at all. Each token that is
    /// in the chain is spent, and no other.
    func compare(with ledger: PostgresLedger) async throws {
        var (records, next) = ([[UInt8]: Int](), Int64.min)
        var verifier = AuditVerifier(from: AuditChain())
        while true {
            let page = try await ledger.audit(from: next, limit: AuditPage.limit)
            for row in page.rows {
                verifier.take(row)
                records[row.record, default: 0] += 1
            }
            guard let last = page.rows.last else { break }
            next = last.number + 1
        }
        #expect(verifier.finish() == nil)
        #expect(acknowledged.allSatisfy { records[$0.audit.bytes] == 1 }, "an acknowledged verdict is missing")
        #expect(unclear.allSatisfy { records[$0.audit.bytes] ?? 0 <= 1 })
        #expect(records.count <= acknowledged.count + unclear.count)
        var rest = (unclear + acknowledged.suffix(50))[...]
        while !rest.isEmpty {
            let some = rest.prefix(200)
            rest = rest.dropFirst(some.count)
            let again = try await ledger.commit(try some.map { try Sample.entry(spends: $0.spends) })
            let expected = some.map { records[$0.audit.bytes] == 1 ? CommitOutcome.refused(.challengeReused) : .committed }
            #expect(again == expected)
        }
    }
}
