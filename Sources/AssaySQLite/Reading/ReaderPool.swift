import AssayCore
import Synchronization

/// Idle reading connections. A reader that failed does not come back.
///
/// While the writer has no connection the pool is shut: whoever opens the file then may be shown a transaction whose
/// sync failed, and such a one must not be told of. The writer makes sure of it first.
final class ReaderPool: Sendable {
    private let path: String
    private let options: LedgerOptions
    private let health: LedgerHealth
    private let state = Mutex(State())

    private struct State {
        var idle: [LedgerReader] = []
        /// Counts drains: a reader that was out meanwhile does not come back either.
        var generation = 0
        var isShut = false
        var isClosed = false
    }

    init(path: String, options: LedgerOptions, health: LedgerHealth) {
        (self.path, self.options, self.health) = (path, options, health)
    }

    /// Reads with an idle connection, or with a new one if the idle one fails: it may have outlived a fault of the store.
    func read<T>(_ body: (LedgerReader) throws(SQLiteFailure) -> T) throws(LedgerError) -> T {
        let (idle, generation, isShut, isClosed) = state.withLock { state in
            (state.idle.popLast(), state.generation, state.isShut, state.isClosed)
        }
        guard !isClosed else { throw .unavailable("the ledger is closed") }
        guard !isShut else { throw .unavailable("the file failed and was not opened anew yet") }
        do throws(SQLiteFailure) {
            if let idle, let value = try? body(idle) {
                put(back: idle, from: generation)
                return value
            }
            let reader = try LedgerReader(path: path, options: options)
            let value = try body(reader)
            put(back: reader, from: generation)
            return value
        } catch {
            health.note(error)
            throw error.ledgerError
        }
    }

    var isShut: Bool { state.withLock { $0.isShut } }

    /// Closes idle connections, and those in use when they come back, and lets nobody read until `reopen`.
    func shut() {
        state.withLock { state in
            state.isShut = true
            state.idle = []
            state.generation += 1
        }
    }

    func reopen() { state.withLock { $0.isShut = false } }

    func close() {
        state.withLock { $0.isClosed = true }
        shut()
    }

    private func put(back reader: LedgerReader, from generation: Int) {
        state.withLock { state in
            guard state.generation == generation, state.idle.count < options.idleReaders else { return }
            state.idle.append(reader)
        }
    }
}
