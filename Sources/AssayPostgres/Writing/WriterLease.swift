/// For how long a process holds the name of its writer after each commit, and who it is.
struct WriterLease: Sendable {
    let holder: LedgerHolder
    /// In milliseconds.
    let length: Int64

    /// An idle writer renews its lease so often, in milliseconds.
    var renewal: Int32 { Int32(clamping: max(1, length / 3)) }

    /// The server's clock, in milliseconds since 1970: leases are compared by no other.
    static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
}
