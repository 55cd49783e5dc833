/// How many tokens are spent and not forgotten.
struct SpentCounts: Hashable, Sendable {
    /// Those whose expiry is fixed.
    private(set) var challenges: Int64 = 0
    /// The others.
    private(set) var evidence: Int64 = 0

    /// Counts: all leaves of all tables are visited, at some hundred tokens each.
    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        for period in try SpentBucket.all(connection) {
            let count = try connection.integer("SELECT count(*) FROM \"\(period.table)\"")
            switch period.order {
            case .expiry: challenges += count
            case .token: evidence += count
            }
        }
    }
}
