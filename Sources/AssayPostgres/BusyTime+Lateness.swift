import AssayCore
import AssayLedger

/// Jobs are served with trips to the database, or with attempts to reach it.
extension BusyTime {
    /// Jobs that take longer are late, in nanoseconds: the slowest commits under a checkpoint take this long.
    private static let limit: UInt64 = 500_000_000

    /// `nil` if the thread is idle, or serves jobs that it began a moment ago.
    var lateness: LedgerError? {
        let time = nanoseconds
        return time > Self.limit
            ? .unavailable("the database has not answered for \(DurationText.rounded(Int64(clamping: time / 1_000_000)))") : nil
    }
}
