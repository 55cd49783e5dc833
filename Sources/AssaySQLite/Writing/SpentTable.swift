import AssayCore

/// The spent tokens of one period.
final class SpentTable {
    let period: SpentBucket
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let select: SQLiteStatement
    private let delete: SQLiteStatement

    /// The table must exist.
    init(_ connection: SQLiteConnection, _ period: SpentBucket) throws(SQLiteFailure) {
        self.connection = connection
        self.period = period
        insert = try SQLiteStatement(
            connection, "INSERT INTO \"\(period.table)\" (token, expiry) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
        select = try SQLiteStatement(connection, Self.lookup(in: period))
        delete = try SQLiteStatement(connection, "DELETE FROM \"\(period.table)\" WHERE token = ?1 AND expiry = ?2")
    }

    static func create(_ connection: SQLiteConnection, _ period: SpentBucket) throws(SQLiteFailure) -> SpentTable {
        // Columns in the order of the key: SQLite 3.40 finds false faults in integrity_check where they are not.
        let columns =
            switch period.order {
            case .expiry: "expiry INTEGER, token BLOB, PRIMARY KEY (expiry, token)"
            case .token: "token BLOB PRIMARY KEY, expiry INTEGER NOT NULL"
            }
        try connection.execute("CREATE TABLE \"\(period.table)\" (\(columns)) STRICT, WITHOUT ROWID")
        return try SpentTable(connection, period)
    }

    static func drop(_ connection: SQLiteConnection, _ period: SpentBucket) throws(SQLiteFailure) {
        try connection.execute("DROP TABLE \"\(period.table)\"")
    }

    /// One row if the token is there. ?1 the token, ?2 its expiry where the table is ordered by it.
    static func lookup(in period: SpentBucket) -> String {
        let selection = "SELECT 1 FROM \"\(period.table)\" WHERE token = ?1"
        return switch period.order {
        case .expiry: selection + " AND expiry = ?2"
        case .token: selection
        }
    }

    func contains(_ spend: LedgerEntry.Spend) throws(SQLiteFailure) -> Bool {
        select.bind(1, spend.token)
        if period.order == .expiry { select.bind(2, spend.expiry.unixMilliseconds) }
        return try select.exists()
    }

    /// False, and nothing changed, if the token is there.
    func add(_ spend: LedgerEntry.Spend) throws(SQLiteFailure) -> Bool {
        insert.bind(1, spend.token)
        insert.bind(2, spend.expiry.unixMilliseconds)
        try insert.run()
        return connection.changes == 1
    }

    /// The expiry of the token that expires as number `number`, counted from 1, or of the last if there are fewer; `nil` if there is none.
    func expiry(ofNumber number: Int64) throws(SQLiteFailure) -> Timestamp? {
        let first = "SELECT expiry FROM \"\(period.table)\" ORDER BY expiry LIMIT \(max(1, number))"
        let statement = try SQLiteStatement(connection, "SELECT max(expiry) FROM (\(first))")
        return try statement.first { $0.isNull(0) ? nil : Timestamp(unixMilliseconds: $0.int64(0)) } ?? nil
    }

    /// Removes what expires at or before `expiry`, and returns how many there were.
    func forget(upTo expiry: Timestamp) throws(SQLiteFailure) -> Int64 {
        try connection.execute("DELETE FROM \"\(period.table)\" WHERE expiry <= \(expiry.unixMilliseconds)")
        return Int64(connection.changes)
    }

    func remove(_ spend: LedgerEntry.Spend) throws(SQLiteFailure) {
        delete.bind(1, spend.token)
        delete.bind(2, spend.expiry.unixMilliseconds)
        try delete.run()
    }
}
