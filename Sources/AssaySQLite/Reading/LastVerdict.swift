import AssayCore

/// The time of the last verdict in the audit log. Records of changes can follow it in any number, as when a fleet is provisioned, so each
/// record is looked at once.
struct LastVerdict: Sendable {
    /// The first byte of a record is its version; that of verdicts is 1.
    static let search = """
        SELECT number, time FROM audit WHERE number > ?1 AND substr(record, 1, 1) = x'01' ORDER BY number DESC LIMIT 1
        """

    /// `nil`: the log has none.
    private(set) var time: Timestamp?
    private var number: Int64 = 0
    /// The number of the last record that was looked at.
    private var seen: Int64 = 0

    /// Looks at the records that are new.
    ///
    /// - Parameters:
    ///   - start: the number of the last record that was dropped.
    ///   - end: that of the last record.
    mutating func follow(
        _ connection: SQLiteConnection, from start: Int64, to end: Int64
    ) throws(SQLiteError) {
        if number <= start { time = nil }
        guard end > seen else { return }
        let select = try SQLiteStatement(connection, Self.search)
        select.bind(1, max(seen, start))
        if let found = try select.first({ (number: $0.int64(0), time: Timestamp(unixMilliseconds: $0.int64(1))) }) {
            (number, time) = found
        }
        seen = end
    }
}
