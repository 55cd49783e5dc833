import AssayLedger
import CSQLite
import Synchronization

/// Copies the write-ahead log into the database on its own thread and connection, so that no commit waits for it.
///
/// It does so in short steps while the log grows, and syncs the database after each. SQLite syncs it only when the log was copied to its end, which
/// is never reached during commits: that one sync would have to write all pages of the log at once, between two commits.
///
/// For the same reason the log would grow without bound. So once it is long the writer copies the rest between two commits (`takeRest`): what was
/// added during the last step.
final class Checkpointer: Sendable {
    private let requests = Mailbox<Void>(limit: 1)
    private let path: String
    private let options: LedgerOptions
    private let health: LedgerHealth
    private let state: Mutex<State>
    /// Opened for the first step. Locked during a step: only who disconnects waits for it.
    private let connection = Mutex<SQLiteConnection?>(nil)
    /// Steps of one run: under a load at which each ends with as much to copy as it began with, the writer has to take the rest.
    private static let stepLimit = 4
    /// Commits whose frames are one step, where that is more than the usual step, up to a quarter of a long log. The large commits of a busy daemon would
    /// have a step for every third of them, which writes pages to the database that the next one changes again.
    private static let commitsOfStep = 8

    private struct State {
        var frames = 0
        /// Frames of a step.
        var step: Int
        /// The number of frames in the log at which the next run is due.
        var next: Int
        var restIsDue = false
        /// Whether a sync failed, so that what was copied may be lost. No step is made until the writer has seen to it: one whose sync succeeds would
        /// let the log restart.
        var isInDoubt = false
    }

    init(path: String, options: LedgerOptions, health: LedgerHealth) {
        self.path = path
        self.options = options
        self.health = health
        state = Mutex(State(step: options.checkpointStep, next: options.checkpointStep))
    }

    /// Called by the writer after each commit.
    func logHolds(frames: Int) {
        if isDue(at: frames) { _ = requests.post((), weight: 1) }
    }

    /// Whether a run is due, after a commit with which the log has so many frames.
    func isDue(at frames: Int) -> Bool {
        state.withLock { state in
            let isNewLog = frames < state.frames
            let added = isNewLog ? frames : frames - state.frames
            state.step = max(options.checkpointStep, min(added * Self.commitsOfStep, options.checkpointFrames / 4))
            if isNewLog { state.next = state.step }
            state.frames = frames
            guard frames >= state.next else { return false }
            // If this run fails, or a reader holds the log, the next one comes after as many frames again.
            state.next = frames + state.step
            return true
        }
    }

    /// True once after each run that left the log long: the writer then copies the frames that were added meanwhile.
    func takeRest() -> Bool {
        state.withLock { state in
            defer { state.restIsDue = false }
            return state.restIsDue
        }
    }

    /// Whether a sync failed: the writer then closes every connection, so that the whole log is copied again.
    var isInDoubt: Bool { state.withLock { $0.isInDoubt } }

    /// Called when every connection is closed.
    func endDoubt() { state.withLock { $0.isInDoubt = false } }

    /// Whether the writer has more to do than commits.
    var needsWriter: Bool { state.withLock { $0.restIsDue || $0.isInDoubt } }

    /// The body of the thread. Its connection is closed when it returns.
    func run() {
        while requests.take(upTo: 1) != nil {
            if isInDoubt { continue }
            do throws(SQLiteError) {
                try copy()
            } catch {
                // Nothing is lost: the log still holds the frames.
                health.note(error)
            }
        }
        disconnect()
    }

    /// Copies what the log holds, and what was added meanwhile until that is little.
    private func copy() throws(SQLiteError) {
        var before = 0
        for _ in 0..<Self.stepLimit {
            let copied = try step()
            let isLittle = state.withLock { $0.frames - copied <= $0.step }
            // Less than nothing: the log was at its end, and has restarted. No more than before: a reader needs the next frames.
            if isLittle || copied <= before { break }
            before = copied
        }
        state.withLock { $0.restIsDue = $0.frames >= options.checkpointFrames }
    }

    /// - Returns: the frames of the log that are in the database.
    private func step() throws(SQLiteError) -> Int {
        try connection.withLock { (connection) throws(SQLiteError) in
            do throws(SQLiteError) {
                let used: SQLiteConnection
                if let open = connection.take() { used = open } else { used = try connected() }
                let copied = try used.checkpointAndSync()
                connection = used
                return copied
            } catch {
                note(error)
                throw error
            }
        }
    }

    private func connected() throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection.ledger(at: path, options)
        // It closes before the writer's. Where it does not, the ledger's files are not those that it has open.
        try connection.keepLogWhenClosed()
        return connection
    }

    /// Notes the failure of a step, or of the writer's last one.
    func note(_ failure: SQLiteError) {
        if failure.isOfSync { state.withLock { $0.isInDoubt = true } }
    }

    /// Closes the connection, after a step that is running. The next step opens one again.
    ///
    /// Called when the writer's closes because of a fault: SQLite shares the index of the log among the connections of a process, and one that
    /// stays open would hand that of the old files to the next session.
    func disconnect() { connection.withLock { $0 = nil } }

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
