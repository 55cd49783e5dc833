import AssayCore

/// The spent tokens, and the spent horizon: tokens that expire at or below it are not fresh.
final class SpentTokens {
    private let connection: SQLiteConnection
    private(set) var horizon: Timestamp
    private var tables: [SpentBucket: SpentTable] = [:]
    /// Over all tables that are ordered by token.
    private var lookup: SpentLookup
    /// Over all of them but one. Few periods are spent in.
    private var lookups: [SpentBucket: SpentLookup] = [:]

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        horizon = Timestamp(unixMilliseconds: try connection.integer("SELECT value FROM meta WHERE name = 'spent_horizon'"))
        for period in try SpentBucket.all(connection) { tables[period] = try SpentTable(connection, period) }
        lookup = try SpentLookup(connection, tables.keys)
    }

    /// Why a token cannot be spent at `time`; `nil` if it can.
    func objection(to spend: LedgerEntry.Spend, at time: Timestamp) throws(SQLiteError) -> ReasonCode? {
        guard spend.expiry > horizon else { return .challengeExpired }
        let isSpent =
            spend.expiryIsFixed
            ? try tables[SpentBucket(spend, at: time)]?.contains(spend) ?? false : try lookup.contains(spend.token)
        return isSpent ? .challengeReused : nil
    }

    /// Spends a token. False, and no change, if it cannot be spent.
    func spend(_ spend: LedgerEntry.Spend, at time: Timestamp) throws(SQLiteError) -> Bool {
        guard spend.expiry > horizon else { return false }
        let period = SpentBucket(spend, at: time)
        // The primary key of its own table excludes a second spend. A token whose expiry can change may be in another one.
        if !spend.expiryIsFixed, try contains(spend.token, besides: period) { return false }
        return try table(for: period).add(spend)
    }

    /// Whether a token is in another table that is ordered by token than that of `period`.
    private func contains(_ token: [UInt8], besides period: SpentBucket) throws(SQLiteError) -> Bool {
        if let lookup = lookups[period] { return try lookup.contains(token) }
        let lookup = try SpentLookup(connection, tables.keys.filter { $0 != period })
        lookups[period] = lookup
        return try lookup.contains(token)
    }

    /// Reverts a successful `spend` of the same transaction.
    func giveBack(_ spend: LedgerEntry.Spend, at time: Timestamp) throws(SQLiteError) {
        try tables[SpentBucket(spend, at: time)]?.remove(spend)
    }

    private func table(for period: SpentBucket) throws(SQLiteError) -> SpentTable {
        if let table = tables[period] { return table }
        let table = try SpentTable.create(connection, period)
        tables[period] = table
        if period.order == .token {
            lookup = try SpentLookup(connection, tables.keys)
            lookups = [:]
        }
        return table
    }

    /// Drops the periods that have passed at `now`, and raises the horizon to the end of the last one.
    func purge(now: Timestamp) throws(SQLiteError) {
        let passed = tables.keys.filter { $0.last <= now }
        guard let highest = passed.map(\.last).max() else { return }
        lookup = SpentLookup()
        lookups = [:]
        for period in passed {
            tables[period] = nil
            try SpentTable.drop(connection, period)
        }
        lookup = try SpentLookup(connection, tables.keys)
        try raiseHorizon(to: highest)
    }

    /// The most challenges dropped early in one transaction, so that commits run between transactions.
    static let forgetLimit: Int64 = 10_000

    /// Drops up to `count` of the challenges that expire first, and all with the same expiry as the last of them. Raises the horizon to
    /// that expiry. Returns the number dropped; 0 if there are none.
    func forgetChallenges(atLeast count: Int64) throws(SQLiteError) -> Int64 {
        for period in tables.keys.filter({ $0.order == .expiry }).sorted(by: { $0.last < $1.last }) {
            guard let table = tables[period], let last = try table.expiry(ofNumber: min(count, Self.forgetLimit)) else {
                continue
            }
            try raiseHorizon(to: last)
            return try table.forget(upTo: last)
        }
        return 0
    }

    private func raiseHorizon(to expiry: Timestamp) throws(SQLiteError) {
        guard expiry > horizon else { return }
        horizon = expiry
        try connection.execute("UPDATE meta SET value = \(horizon.unixMilliseconds) WHERE name = 'spent_horizon'")
    }
}

/// Finds a token in all tables that are ordered by token, whatever its expiry is.
struct SpentLookup {
    /// Of `tablesInQuery` tables each.
    private var queries: [SQLiteStatement] = []
    /// Below SQLITE_MAX_COMPOUND_SELECT, 500 by default.
    private static let tablesInQuery = 100

    /// Finds nothing.
    init() {}

    init(_ connection: SQLiteConnection, _ periods: some Sequence<SpentBucket>) throws(SQLiteError) {
        // The latest period first: it is the most likely one of a repeated token.
        var rest = periods.filter { $0.order == .token }.sorted { $0.last > $1.last }[...]
        while !rest.isEmpty {
            let selects = rest.prefix(Self.tablesInQuery).map(SpentTable.lookup(in:))
            queries.append(try SQLiteStatement(connection, selects.joined(separator: " UNION ALL ")))
            rest = rest.dropFirst(Self.tablesInQuery)
        }
    }

    /// Over the tables that there are now.
    init(_ connection: SQLiteConnection) throws(SQLiteError) { try self.init(connection, SpentBucket.all(connection)) }

    func contains(_ token: [UInt8]) throws(SQLiteError) -> Bool {
        for query in queries {
            query.bind(1, token)
            if try query.exists() { return true }
        }
        return false
    }
}

/// The table of the spent tokens of one period.
final class SpentTable {
    let period: SpentBucket
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let select: SQLiteStatement
    private let delete: SQLiteStatement

    /// The table must exist.
    init(_ connection: SQLiteConnection, _ period: SpentBucket) throws(SQLiteError) {
        self.connection = connection
        self.period = period
        insert = try SQLiteStatement(
            connection, "INSERT INTO \"\(period.table)\" (token, expiry) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
        select = try SQLiteStatement(connection, Self.lookup(in: period))
        delete = try SQLiteStatement(connection, "DELETE FROM \"\(period.table)\" WHERE token = ?1 AND expiry = ?2")
    }

    static func create(_ connection: SQLiteConnection, _ period: SpentBucket) throws(SQLiteError) -> SpentTable {
        // Columns in the order of the key: otherwise integrity_check of SQLite 3.40 reports false faults.
        let columns =
            switch period.order {
            case .expiry: "expiry INTEGER, token BLOB, PRIMARY KEY (expiry, token)"
            case .token: "token BLOB PRIMARY KEY, expiry INTEGER NOT NULL"
            }
        try connection.execute("CREATE TABLE \"\(period.table)\" (\(columns)) STRICT, WITHOUT ROWID")
        return try SpentTable(connection, period)
    }

    static func drop(_ connection: SQLiteConnection, _ period: SpentBucket) throws(SQLiteError) {
        try connection.execute("DROP TABLE \"\(period.table)\"")
    }

    /// The query for a token: one row if it is spent. ?1 is the token, ?2 its expiry if the table is ordered by expiry.
    static func lookup(in period: SpentBucket) -> String {
        let selection = "SELECT 1 FROM \"\(period.table)\" WHERE token = ?1"
        return switch period.order {
        case .expiry: selection + " AND expiry = ?2"
        case .token: selection
        }
    }

    func contains(_ spend: LedgerEntry.Spend) throws(SQLiteError) -> Bool {
        select.bind(1, spend.token)
        if period.order == .expiry { select.bind(2, spend.expiry.unixMilliseconds) }
        return try select.exists()
    }

    /// Adds a token. False, and no change, if it is spent already.
    func add(_ spend: LedgerEntry.Spend) throws(SQLiteError) -> Bool {
        insert.bind(1, spend.token)
        insert.bind(2, spend.expiry.unixMilliseconds)
        try insert.run()
        return connection.changes == 1
    }

    /// The expiry of token number `number` in the order of expiry, counted from 1, or of the last if there are fewer; `nil` if there is
    /// none.
    func expiry(ofNumber number: Int64) throws(SQLiteError) -> Timestamp? {
        let first = "SELECT expiry FROM \"\(period.table)\" ORDER BY expiry LIMIT \(max(1, number))"
        let statement = try SQLiteStatement(connection, "SELECT max(expiry) FROM (\(first))")
        return try statement.first { $0.isNull(0) ? nil : Timestamp(unixMilliseconds: $0.int64(0)) } ?? nil
    }

    /// Removes the tokens that expire at or before `expiry`, and returns their number.
    func forget(upTo expiry: Timestamp) throws(SQLiteError) -> Int64 {
        try connection.execute("DELETE FROM \"\(period.table)\" WHERE expiry <= \(expiry.unixMilliseconds)")
        return Int64(connection.changes)
    }

    func remove(_ spend: LedgerEntry.Spend) throws(SQLiteError) {
        delete.bind(1, spend.token)
        delete.bind(2, spend.expiry.unixMilliseconds)
        try delete.run()
    }
}
