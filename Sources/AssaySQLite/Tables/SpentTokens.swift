import AssayCore

/// What was used up, and the horizon below which nobody remembers: nothing that expires at or below it is fresh again.
final class SpentTokens {
    private let connection: SQLiteConnection
    private(set) var horizon: Timestamp
    private var tables: [SpentBucket: SpentTable] = [:]
    /// One look into many tables ordered by token. Several only if there are more than SQLite joins in one statement.
    private var lookups: [SQLiteStatement] = []
    /// SQLITE_MAX_COMPOUND_SELECT is 500 by default.
    private static let tablesInLookup = 100

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        horizon = Timestamp(unixMilliseconds: try connection.integer("SELECT value FROM meta WHERE name = 'spent_horizon'"))
        for period in try SpentBucket.all(connection) { tables[period] = try SpentTable(connection, period) }
        try prepareLookups()
    }

    /// Why a token cannot be spent at `time`, if it cannot.
    func objection(to spend: LedgerEntry.Spend, at time: Timestamp) throws(SQLiteFailure) -> ReasonCode? {
        guard spend.expiry > horizon else { return .challengeExpired }
        let isSpent =
            spend.expiryIsFixed
            ? try tables[SpentBucket(spend, at: time)]?.contains(spend) ?? false : try isSpentUnderAnyExpiry(spend.token)
        return isSpent ? .challengeReused : nil
    }

    /// Spends a token. False, and nothing changed, if there is an objection to it.
    func spend(_ spend: LedgerEntry.Spend, at time: Timestamp) throws(SQLiteFailure) -> Bool {
        guard spend.expiry > horizon else { return false }
        // Where the expiry is fixed, the table's own key says whether the token was spent.
        if !spend.expiryIsFixed, try isSpentUnderAnyExpiry(spend.token) { return false }
        return try table(for: SpentBucket(spend, at: time)).add(spend)
    }

    /// Undoes a `spend` of the same transaction that returned true.
    func giveBack(_ spend: LedgerEntry.Spend, at time: Timestamp) throws(SQLiteFailure) {
        try tables[SpentBucket(spend, at: time)]?.remove(spend)
    }

    private func isSpentUnderAnyExpiry(_ token: [UInt8]) throws(SQLiteFailure) -> Bool {
        for lookup in lookups {
            lookup.bind(1, token)
            if try lookup.exists() { return true }
        }
        return false
    }

    private func table(for period: SpentBucket) throws(SQLiteFailure) -> SpentTable {
        if let table = tables[period] { return table }
        let table = try SpentTable.create(connection, period)
        tables[period] = table
        if period.order == .token { try prepareLookups() }
        return table
    }

    /// Drops the periods that have passed at `now` and raises the horizon to the end of the last one.
    func purge(now: Timestamp) throws(SQLiteFailure) {
        let passed = tables.keys.filter { $0.last <= now }
        guard let highest = passed.map(\.last).max() else { return }
        lookups = []
        for period in passed {
            tables[period] = nil
            try SpentTable.drop(connection, period)
        }
        try prepareLookups()
        try raiseHorizon(to: highest)
    }

    /// How many challenges are forgotten early in one transaction, so that commits get their turn between.
    static let forgetLimit: Int64 = 10_000

    /// Forgets `count` of the challenges that expire first, or some of them, and those that expire at the same instant as the
    /// last of them. Raises the horizon to where they lay. Returns how many there were; 0 if there is none.
    func forgetChallenges(atLeast count: Int64) throws(SQLiteFailure) -> Int64 {
        for period in tables.keys.filter({ $0.order == .expiry }).sorted(by: { $0.last < $1.last }) {
            guard let table = tables[period], let last = try table.expiry(ofNumber: min(count, Self.forgetLimit)) else {
                continue
            }
            try raiseHorizon(to: last)
            return try table.forget(upTo: last)
        }
        return 0
    }

    private func raiseHorizon(to expiry: Timestamp) throws(SQLiteFailure) {
        guard expiry > horizon else { return }
        horizon = expiry
        try connection.execute("UPDATE meta SET value = \(horizon.unixMilliseconds) WHERE name = 'spent_horizon'")
    }

    private func prepareLookups() throws(SQLiteFailure) {
        // The latest period first: that is where a token that comes twice most likely lies.
        var rest = tables.keys.filter { $0.order == .token }.sorted { $0.last > $1.last }[...]
        lookups = []
        while !rest.isEmpty {
            let selects = rest.prefix(Self.tablesInLookup).map(SpentTable.lookup(in:))
            lookups.append(try SQLiteStatement(connection, selects.joined(separator: " UNION ALL ")))
            rest = rest.dropFirst(Self.tablesInLookup)
        }
    }
}
