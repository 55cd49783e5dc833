import AssayCore

/// Spent tokens whose expiries lie in one period are kept in one table, which is dropped whole when the period has
/// passed: forgetting costs no deletes.
///
/// Tokens that expire soon share periods of ten minutes; those that are kept for long share whole days, so that the
/// number of tables stays small.
struct SpentPeriod: Hashable, Sendable {
    /// In seconds.
    let length: Int64
    /// Counted from 1970.
    let index: Int64

    private static let short: Int64 = 600
    private static let long: Int64 = 86_400
    /// Two hours: more than the longest life of a challenge.
    private static let shortReach: Int64 = 7_200_000

    /// The period in which a token lies that expires at `expiry` and is spent at `time`.
    init(expiry: Timestamp, spentAt time: Timestamp) {
        length = expiry.milliseconds(since: time) <= Self.shortReach ? Self.short : Self.long
        let milliseconds = length * 1000
        let quotient = expiry.unixMilliseconds / milliseconds
        index = expiry.unixMilliseconds < quotient * milliseconds ? quotient - 1 : quotient
    }

    /// Reads a table's name; `nil` for any that `table` does not make.
    init?(table: String) {
        let parts = table.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "spent", let length = Int64(parts[1]), let index = Int64(parts[2]),
            length == Self.short || length == Self.long
        else { return nil }
        (self.length, self.index) = (length, index)
    }

    /// Made of our own integers only. Quoted where it is used, since an index can be negative.
    var table: String { "spent_\(length)_\(index)" }

    /// The highest expiry that can lie in the period, in milliseconds since 1970.
    var last: Timestamp {
        let (end, overflow) = (index + 1).multipliedReportingOverflow(by: length * 1000)
        return overflow ? .distantFuture : Timestamp(unixMilliseconds: end - 1)
    }
}
