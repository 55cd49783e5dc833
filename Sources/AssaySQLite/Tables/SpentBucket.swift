import AssayCore

/// Spent tokens whose expiries lie in one period are kept in one table, which is dropped whole when the period has
/// passed: forgetting costs no deletes.
struct SpentBucket: Hashable, Sendable {
    /// How tokens lie in the table.
    enum Order: Hashable, Sendable {
        /// By expiry, then token. Challenges are spent in about the order of their expiries, so that a commit writes
        /// few pages, and those at the end.
        case expiry
        /// By token, for those that may come again with another expiry. Each lies on a page of its own.
        case token
    }

    let order: Order
    /// In seconds.
    let length: Int64
    /// Counted from 1970.
    let index: Int64

    /// Ten minutes.
    private static let short: Int64 = 600
    /// A day: tokens that are kept for long share it, so that there are few tables to look into.
    private static let long: Int64 = 86_400
    /// What is kept for longer than two hours is kept for long.
    private static let shortReach: Int64 = 7_200_000

    /// The period of a token that is spent at `time`. Where the expiry is fixed the period does not depend on the time:
    /// a token that comes again is looked for in this one only.
    init(_ spend: LedgerEntry.Spend, at time: Timestamp) {
        order = spend.expiryIsFixed ? .expiry : .token
        let isShort = spend.expiryIsFixed || spend.expiry.milliseconds(since: time) <= Self.shortReach
        length = isShort ? Self.short : Self.long
        let milliseconds = length * 1000
        let quotient = spend.expiry.unixMilliseconds / milliseconds
        index = spend.expiry.unixMilliseconds < quotient * milliseconds ? quotient - 1 : quotient
    }

    /// Reads a table's name; `nil` for any that `table` does not make.
    init?(table: String) {
        let parts = table.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "spent", let order = Order(name: parts[1]), let length = Int64(parts[2]),
            let index = Int64(parts[3]), length == Self.short || length == Self.long
        else { return nil }
        (self.order, self.length, self.index) = (order, length, index)
    }

    /// Those that have a table.
    static func all(_ connection: SQLiteConnection) throws(SQLiteFailure) -> [SpentBucket] {
        try SQLiteStatement(connection, "SELECT name FROM sqlite_schema WHERE name GLOB 'spent_*'").all { $0.text(0) }
            .compactMap(SpentBucket.init(table:))
    }

    /// Made of our own words and integers only. Quoted where it is used, since an index can be negative.
    var table: String { "spent_\(order.name)_\(length)_\(index)" }

    /// The highest expiry that can lie in the period, in milliseconds since 1970.
    var last: Timestamp {
        let (end, overflow) = (index + 1).multipliedReportingOverflow(by: length * 1000)
        return overflow ? .distantFuture : Timestamp(unixMilliseconds: end - 1)
    }
}

extension SpentBucket.Order {
    fileprivate init?(name: some StringProtocol) {
        switch name {
        case "expiry": self = .expiry
        case "token": self = .token
        default: return nil
        }
    }

    fileprivate var name: String {
        switch self {
        case .expiry: "expiry"
        case .token: "token"
        }
    }
}
