import CSQLite

/// Learns after each commit how many frames the write-ahead log holds.
final class CommitHook {
    private(set) var frames = 0
    /// True if a commit wrote something since it was asked last.
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
