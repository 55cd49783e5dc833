import AssayCore

/// The period of a spent token. The tokens of a period are in one table, which is dropped when the period has passed, without
/// deleting rows.
struct SpentBucket: Hashable, Sendable {
    /// The order of tokens in the table.
    enum Order: Hashable, Sendable {
        /// By expiry, then token. Challenges are spent roughly in the order of their expiries, so a commit writes few pages, at the end.
        case expiry
        /// By token, for tokens whose expiry can change. A commit writes about one page for each.
        case token
    }

    let order: Order
    /// The length of the period, in seconds.
    let length: Int64
    /// The number of the period, counted from 1970.
    let index: Int64

    /// Ten minutes.
    private static let short: Int64 = 600
    /// A day, for long-lived tokens, so that few tables are searched.
    private static let long: Int64 = 86_400
    /// Tokens with a longer lifetime are long-lived: two hours, in milliseconds.
    private static let shortReach: Int64 = 7_200_000

    /// The period of a token that is spent at `time`. For a token with a fixed expiry it does not depend on `time`, so that one table is
    /// searched for it.
    init(_ spend: LedgerEntry.Spend, at time: Timestamp) {
        order = spend.expiryIsFixed ? .expiry : .token
        let isShort = spend.expiryIsFixed || spend.expiry.milliseconds(since: time) <= Self.shortReach
        length = isShort ? Self.short : Self.long
        let milliseconds = length * 1000
        let quotient = spend.expiry.unixMilliseconds / milliseconds
        index = spend.expiry.unixMilliseconds < quotient * milliseconds ? quotient - 1 : quotient
    }

    /// The period of a table's name; `nil` for names that `table` does not make.
    init?(table: String) {
        let parts = table.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "spent", let order = Order(name: parts[1]), let length = Int64(parts[2]),
            let index = Int64(parts[3]), length == Self.short || length == Self.long
        else { return nil }
        (self.order, self.length, self.index) = (order, length, index)
    }

    /// The periods that have a table.
    static func all(_ connection: SQLiteConnection) throws(SQLiteError) -> [SpentBucket] {
        try SQLiteStatement(connection, "SELECT name FROM sqlite_schema WHERE name GLOB 'spent_*'").all { $0.text(0) }
            .compactMap(SpentBucket.init(table:))
    }

    /// The name of the period's table. It must be quoted in SQL: the index can be negative.
    var table: String { "spent_\(order.name)_\(length)_\(index)" }

    /// The highest expiry of the period.
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

/// The number of spent tokens that are kept.
struct SpentCounts: Hashable, Sendable {
    /// Tokens whose expiry is fixed.
    private(set) var challenges: Int64 = 0
    /// Uses of evidence: the other tokens.
    private(set) var evidence: Int64 = 0

    /// Counts the tokens, by a scan of all tables.
    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        for period in try SpentBucket.all(connection) {
            let count = try connection.integer("SELECT count(*) FROM \"\(period.table)\"")
            switch period.order {
            case .expiry: challenges += count
            case .token: evidence += count
            }
        }
    }
}
