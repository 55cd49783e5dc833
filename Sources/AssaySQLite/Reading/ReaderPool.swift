import AssayCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The idle reading connections. A connection that failed is closed.
///
/// The pool is shut while the writer has no connection: a connection that is opened then may see a transaction whose sync failed. The
/// writer makes such a transaction durable before it reopens the pool.
final class ReaderPool: Sendable {
    private let path: String
    private let options: LedgerOptions
    private let health: LedgerHealth
    private let state = Mutex(State())
    /// Calls of `read` that are under way, each with a connection.
    private let reading = Atomic(0)

    private struct State {
        var idle: [LedgerReader] = []
        /// The number of times the pool was shut. A connection that was in use meanwhile is closed.
        var generation = 0
        var isShut = false
        var isClosed = false
    }

    init(path: String, options: LedgerOptions, health: LedgerHealth) {
        (self.path, self.options, self.health) = (path, options, health)
    }

    /// Reads with an idle connection, or with a new one if the idle one fails: a fault of the store may have broken it.
    func read<T>(_ body: (LedgerReader) throws(SQLiteError) -> T) throws(LedgerError) -> T {
        // Counted before it is asked whether the pool is closed; see `close`.
        reading.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { reading.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        return try use(body)
    }

    /// On return the connection is idle, or closed.
    private func use<T>(_ body: (LedgerReader) throws(SQLiteError) -> T) throws(LedgerError) -> T {
        let (idle, generation, isShut, isClosed) = state.withLock { state in
            (state.idle.popLast(), state.generation, state.isShut, state.isClosed)
        }
        guard !isClosed else { throw .unavailable("the ledger is closed") }
        guard !isShut else { throw .unavailable("the file failed and was not opened again yet") }
        do throws(SQLiteError) {
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

    /// Closes the idle connections, and the others when they return, and refuses reads until `reopen`.
    func shut() {
        state.withLock { state in
            state.isShut = true
            state.idle = []
            state.generation += 1
        }
    }

    func reopen() { state.withLock { $0.isShut = false } }

    /// Returns when every connection is closed: waits for those that read.
    func close() {
        state.withLock { $0.isClosed = true }
        shut()
        waitForReads()
    }

    /// Waits until no connection is in use, which is done in milliseconds. The pool must have been shut.
    func waitForReads() {
        while reading.load(ordering: .sequentiallyConsistent) > 0 { usleep(1000) }
    }

    private func put(back reader: LedgerReader, from generation: Int) {
        state.withLock { state in
            guard state.generation == generation, state.idle.count < options.idleReaders else { return }
            state.idle.append(reader)
        }
    }
}
