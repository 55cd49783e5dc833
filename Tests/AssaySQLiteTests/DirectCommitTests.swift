import AssayCore
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AssaySQLite

/// Runs tasks on a queue of its own, as an event loop runs those that prefer its executor.
private final class QueueExecutor: TaskExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "direct-commit")

    init() { queue.setSpecific(key: Self.key, value: true) }

    /// Whether this is the queue of an executor.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

private final class Writes: Sendable {
    let isAtWork = Atomic(false)
    let count = Atomic(0)
}

@Suite("Commits on the caller's thread", .timeLimit(.minutes(30)))
struct DirectCommitTests {
    private let directory: TemporaryDirectory
    private let ledger: SQLiteLedger
    private let executors = (0..<4).map { _ in QueueExecutor() }

    init() throws {
        directory = try TemporaryDirectory()
        // However long a commit takes on a machine with other work too.
        var options = LedgerOptions()
        options.quickCommitMicroseconds = 60_000_000
        ledger = try SQLiteLedger.open(path: directory.url.appending(path: "ledger.db").path, options: options)
    }

    /// Whether a write was done on the caller's thread. One that changes nothing needs no sync.
    ///
    /// - Parameter milliseconds: how long the transaction takes beside its work.
    private func isDirect(
        on executor: QueueExecutor?, in other: SQLiteLedger? = nil, waiting milliseconds: UInt32 = 0
    ) async throws -> Bool {
        let ledger = other ?? ledger
        return try await Task(executorPreference: executor) {
            try await ledger.write { _ in
                usleep(milliseconds * 1000)
                return QueueExecutor.isCurrent
            }
        }.value
    }

    /// Whether one of many writes was, as soon as the writer waits.
    private func becomesDirect(on executor: QueueExecutor?, tries: Int) async throws -> Bool {
        for _ in 0..<tries where try await isDirect(on: executor) { return true }
        return false
    }

    @Test("A task that prefers an executor commits on that executor's thread, and any other one on the writer's")
    func direct() async throws {
        defer { ledger.close() }
        #expect(try await !becomesDirect(on: nil, tries: 50))
        #expect(try await becomesDirect(on: executors[0], tries: 10_000))
    }

    @Test("A read stays on the executor's thread once a commit was quick, and leaves it before")
    func reads() async throws {
        defer { ledger.close() }
        let (ledger, executor) = (ledger, executors[0])
        func isDirect() async throws -> Bool {
            try await Task(executorPreference: executor) {
                try await ledger.read { _ throws(SQLiteError) in QueueExecutor.isCurrent }
            }.value
        }
        #expect(try await !isDirect())
        #expect(try await becomesDirect(on: executor, tries: 10_000))
        #expect(try await isDirect())
    }

    @Test("After a commit that took long the writer's thread makes the next one")
    func slow() async throws {
        let ledger = try SQLiteLedger.open(path: directory.url.appending(path: "slow.db").path)
        defer {
            ledger.close()
            self.ledger.close()
        }
        for _ in 0..<20 {
            _ = try await isDirect(on: executors[0], in: ledger, waiting: 20)
            #expect(try await !isDirect(on: executors[0], in: ledger))
        }
    }

    @Test("Writes on callers' threads and on the writer's are made one after the other, and the ledger closes behind them")
    func mixed() async throws {
        let (ledger, writes) = (ledger, Writes())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask(executorPreference: number < executors.count ? executors[number] : nil) {
                    for _ in 0..<100 {
                        try await ledger.write { session throws(SQLiteError) in
                            let wasAtWork = writes.isAtWork.exchange(true, ordering: .acquiringAndReleasing)
                            #expect(!wasAtWork)
                            try session.marks.probe()
                            writes.count.add(1, ordering: .relaxed)
                            writes.isAtWork.store(false, ordering: .releasing)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = writes.count.load(ordering: .relaxed)
        #expect(count == 800)
        ledger.close()
        await #expect(throws: LedgerError.self) { try await isDirect(on: executors[0]) }
    }
}
