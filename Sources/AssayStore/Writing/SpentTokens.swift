import AssayCore

/// What was used up, and the horizon below which nobody remembers: nothing that expires at or below it is fresh again.
final class SpentTokens {
    private let connection: SQLiteConnection
    private(set) var horizon: Timestamp
    private var inserts: [SpentPeriod: SQLiteStatement] = [:]
    /// One look into many tables. Several of them only if there are more tables than SQLite joins in one statement.
    private var lookups: [SQLiteStatement] = []
    /// SQLITE_MAX_COMPOUND_SELECT is 500 by default.
    private static let tablesInLookup = 100

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        horizon = Timestamp(unixMilliseconds: try connection.integer("SELECT value FROM meta WHERE name = 'spent_horizon'"))
        let tables = try SQLiteStatement(connection, "SELECT name FROM sqlite_schema WHERE name GLOB 'spent_*'")
            .all { $0.text(0) }
        for period in tables.compactMap(SpentPeriod.init(table:)) { inserts[period] = try insert(into: period) }
        try prepareLookups()
    }

    /// Why a token cannot be spent now, if it cannot. It is looked for in every period, because the same token may come
    /// again with another expiry.
    func objection(to spend: LedgerEntry.Spend) throws(SQLiteFailure) -> ReasonCode? {
        guard spend.expiry > horizon else { return .challengeExpired }
        for lookup in lookups {
            lookup.bind(1, spend.token)
            if try lookup.exists() { return .challengeReused }
        }
        return nil
    }

    /// Remembers a token to which there was no objection.
    func remember(_ spend: LedgerEntry.Spend, at time: Timestamp) throws(SQLiteFailure) {
        let period = SpentPeriod(expiry: spend.expiry, spentAt: time)
        let insert: SQLiteStatement
        if let known = inserts[period] { insert = known } else { insert = try add(period) }
        insert.bind(1, spend.token)
        try insert.run()
    }

    /// Drops the periods that have passed at `now` and raises the horizon to the end of the last one.
    func purge(now: Timestamp) throws(SQLiteFailure) {
        let passed = inserts.keys.filter { $0.last <= now }
        guard let highest = passed.map(\.last).max() else { return }
        lookups = []
        for period in passed {
            inserts[period] = nil
            try connection.execute("DROP TABLE \"\(period.table)\"")
        }
        try prepareLookups()
        guard highest > horizon else { return }
        horizon = highest
        try connection.execute("UPDATE meta SET value = \(horizon.unixMilliseconds) WHERE name = 'spent_horizon'")
    }

    private func add(_ period: SpentPeriod) throws(SQLiteFailure) -> SQLiteStatement {
        try connection.execute("CREATE TABLE \"\(period.table)\" (token BLOB PRIMARY KEY) STRICT, WITHOUT ROWID")
        let insert = try insert(into: period)
        inserts[period] = insert
        try prepareLookups()
        return insert
    }

    private func insert(into period: SpentPeriod) throws(SQLiteFailure) -> SQLiteStatement {
        try SQLiteStatement(connection, "INSERT INTO \"\(period.table)\" VALUES (?1)")
    }

    private func prepareLookups() throws(SQLiteFailure) {
        // The latest period first: that is where a token that comes twice most likely lies.
        var rest = inserts.keys.sorted { $0.last > $1.last }[...]
        lookups = []
        while !rest.isEmpty {
            let selects = rest.prefix(Self.tablesInLookup).map { "SELECT 1 FROM \"\($0.table)\" WHERE token = ?1" }
            lookups.append(try SQLiteStatement(connection, selects.joined(separator: " UNION ALL ")))
            rest = rest.dropFirst(Self.tablesInLookup)
        }
    }
}
