package import AssayCore

/// Limits and timing of a SQLite ledger. The defaults are for production; tests use smaller ones.
package struct LedgerOptions: Sendable {
    /// The most entries that wait for the writer. Further ones are `.overloaded` at once.
    package var queueLimit = 8192
    /// The most entries in one transaction, unless a single call has more.
    package var batchLimit = 512
    /// The pause of the writer after a commit under load, in microseconds, so that more entries share the next one: each commit costs a
    /// sync and the pages that it touches, whatever its size is.
    package var gatherMicroseconds: UInt32 = 2000
    /// The size of a commit, in entries, from which on the writer pauses.
    package var gatherFrom = 8
    /// The longest wait for another process's lock, in milliseconds. Short, because callers wait for an answer.
    package var busyTimeout: Int32 = 250
    /// The number of log frames (4 KiB each) after which they are copied into the database: 16 MiB.
    package var checkpointFrames = 4000
    /// The size to which the log file is truncated when it restarts, in bytes.
    package var logSizeLimit: Int64 = 64 << 20
    /// The writer's page cache, in bytes.
    package var pageCacheBytes: Int64 = 64 << 20
    /// The size of the cache of decoded device records, in bytes.
    package var deviceCacheBytes = 64 << 20
    /// The most idle reading connections.
    package var idleReaders = 8
    /// Whether a missing ledger is created.
    package var mayCreate = true
    /// Whether the file is locked against other owners. Tests that open one file twice switch it off.
    package var isExclusive = true
    /// The period at which an idle writer checks the ledger's files, in milliseconds.
    package var watchPeriod: Int32 = 1000
    /// Called on the ledger's threads when its state changes.
    package var onFault: @Sendable (LedgerFault) -> Void = { _ in }
    /// The name of SQLite's VFS; `nil` for the default one. Tests use one with faults.
    package var vfs: String?

    package init() {}
}
