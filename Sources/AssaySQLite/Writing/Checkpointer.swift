import AssayLedger
import CSQLite
import Synchronization

/// Copies the write-ahead log into the database on its own thread and connection, so that no commit waits for it.
///
/// During commits it never reaches the end of the log, which would then grow without bound. So the writer copies the rest between
/// two commits (`takeRest`).
final class Checkpointer: Sendable {
    private let requests = Mailbox<Void>(limit: 1)
    private let path: String
    private let options: LedgerOptions
    private let health: LedgerHealth
    private let state: Mutex<State>

    private struct State {
        var frames = 0
        /// The number of frames in the log at which the next run is due.
        var next: Int
        var restIsDue = false
    }

    init(path: String, options: LedgerOptions, health: LedgerHealth) {
        self.path = path
        self.options = options
        self.health = health
        state = Mutex(State(next: options.checkpointFrames))
    }

    /// Called by the writer after each commit.
    func logHolds(frames: Int) {
        let isDue = state.withLock { state in
            if frames < state.frames { state.next = options.checkpointFrames }
            state.frames = frames
            guard frames >= state.next else { return false }
            // If this run fails, or a reader holds the log, the next one comes after as many frames again.
            state.next = frames + options.checkpointFrames
            return true
        }
        if isDue { _ = requests.post((), weight: 1) }
    }

    /// True once after each run: the writer then copies the frames that were added meanwhile.
    func takeRest() -> Bool {
        state.withLock { state in
            defer { state.restIsDue = false }
            return state.restIsDue
        }
    }

    /// Whether the writer is to copy what was added during the last run.
    var restIsDue: Bool { state.withLock { $0.restIsDue } }

    /// The body of the thread.
    func run() {
        while requests.take(upTo: 1) != nil {
            do throws(SQLiteError) {
                // A connection for each run: runs are rare, and a kept connection would need care after faults.
                try SQLiteConnection.ledger(at: path, options).checkpoint()
                state.withLock { $0.restIsDue = true }
            } catch {
                // Nothing is lost: the log still holds the frames.
                health.note(error)
                continue
            }
        }
    }

    func close() { requests.close() }
}

/// Receives the number of frames in the write-ahead log after each commit.
final class CommitHook {
    private(set) var frames = 0
    /// True if a commit wrote since the last `takeWrote`.
    private var wrote = false

    func takeWrote() -> Bool {
        defer { wrote = false }
        return wrote
    }

    /// The hook must outlive the connection's last commit.
    func install(on connection: SQLiteConnection) {
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, frames in
                guard let context else { return SQLITE_OK }
                let hook = Unmanaged<CommitHook>.fromOpaque(context).takeUnretainedValue()
                (hook.frames, hook.wrote) = (Int(frames), true)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
