import CSQLite

/// Learns after each commit how many frames the write-ahead log holds.
final class CommitHook {
    private(set) var frames = 0

    /// The hook must outlive the connection's last commit.
    func install(on connection: SQLiteConnection) {
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, frames in
                guard let context else { return SQLITE_OK }
                Unmanaged<CommitHook>.fromOpaque(context).takeUnretainedValue().frames = Int(frames)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
