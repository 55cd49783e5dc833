package import AssayCore

/// How the ledger on SQLite behaves under load. The defaults are for production; tests make them small.
package struct LedgerOptions: Sendable {
    /// Entries that may wait for the writer; beyond them the answer is `.overloaded` at once.
    package var queueLimit = 8192
    /// Entries in one transaction, unless a single call brings more.
    package var batchLimit = 512
    /// Under load, how long the writer rests after a commit so that more entries share the next one, in microseconds.
    /// Each commit costs a sync and the pages that it touches, whatever it holds.
    package var gatherMicroseconds: UInt32 = 2000
    /// A commit of fewer entries is no load: the next one is not waited for.
    package var gatherFrom = 8
    /// How long to wait for another process's lock, in milliseconds. Short: callers wait for an answer.
    package var busyTimeout: Int32 = 250
    /// Log frames (4 KiB each) after which they are copied into the database: 16 MiB.
    package var checkpointFrames = 4000
    /// The log file is cut back to this many bytes when it starts anew.
    package var logSizeLimit: Int64 = 64 << 20
    /// The writer's page cache, in bytes.
    package var pageCacheBytes: Int64 = 64 << 20
    /// Device records kept decoded in memory, in bytes.
    package var deviceCacheBytes = 64 << 20
    /// Idle reading connections that are kept.
    package var idleReaders = 8
    /// Whether the ledger is made where there is none.
    package var mayCreate = true
    /// Whether the file is locked against every other ledger on it. Tests that need two on one file switch it off.
    package var isExclusive = true
    /// How often, while nothing is asked, the writer looks whether the ledger's files are still there, in milliseconds.
    package var watchPeriod: Int32 = 1000
    /// Told, on the ledger's own threads, what happens to it.
    package var onFault: @Sendable (LedgerFault) -> Void = { _ in }
    /// SQLite's VFS by name; `nil` for the default one. Tests put faults there.
    package var vfs: String?

    package init() {}
}
