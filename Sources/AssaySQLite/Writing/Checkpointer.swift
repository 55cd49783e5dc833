import Synchronization

/// Copies the write-ahead log into the database on its own thread and connection, so that no commit waits for it.
///
/// While commits go on the log never ends, and it would grow for ever: so the last bit, copied while the writer rests,
/// is the writer's (`takeRest`).
final class Checkpointer: Sendable {
    private let requests = Mailbox<Void>(limit: 1)
    private let path: String
    private let options: LedgerOptions
    private let health: LedgerHealth
    private let state: Mutex<State>

    private struct State {
        var frames = 0
        /// The size of log at which the next run is due.
        var next: Int
        var restIsDue = false
    }

    init(path: String, options: LedgerOptions, health: LedgerHealth) {
        self.path = path
        self.options = options
        self.health = health
        state = Mutex(State(next: options.checkpointFrames))
    }

    /// Told by the writer after each commit.
    func logHolds(frames: Int) {
        let isDue = state.withLock { state in
            if frames < state.frames { state.next = options.checkpointFrames }
            state.frames = frames
            guard frames >= state.next else { return false }
            // If this run fails, or a reader holds the log, the next try comes after as much again.
            state.next = frames + options.checkpointFrames
            return true
        }
        if isDue { _ = requests.post((), weight: 1) }
    }

    /// True once after each run: the writer is to copy what was added meanwhile.
    func takeRest() -> Bool {
        state.withLock { state in
            defer { state.restIsDue = false }
            return state.restIsDue
        }
    }

    /// The thread's body.
    func run() {
        while requests.take(upTo: 1) != nil {
            do throws(SQLiteFailure) {
                // A connection for each run: it is rare, and a connection that is kept would have to be kept healthy.
                try SQLiteConnection.ledger(at: path, options).checkpoint()
                state.withLock { $0.restIsDue = true }
            } catch {
                // Nothing is lost: the log holds what the database does not.
                health.note(error)
                continue
            }
        }
    }

    func close() { requests.close() }
}
