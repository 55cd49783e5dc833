/// A connection, and how long each trip over it may take. Tables are read and changed with it.
struct Database {
    let connection: PostgresConnection
    /// In milliseconds.
    let timeout: Int64

    func query(_ sql: String, _ parameters: SQLValue...) throws(PostgresError) -> PostgresRows {
        try connection.query(SQLStatement(sql, parameters), within: timeout)
    }

    func find<Value>(_ lookup: Lookup<Value>) throws(PostgresError) -> Value {
        try lookup.value(try connection.query(lookup.statement, within: timeout))
    }

    /// Runs statements in one trip.
    func run(_ statements: [SQLStatement]) throws(PostgresError) -> [PostgresRows] {
        statements.isEmpty ? [] : try connection.run(statements, within: timeout)
    }
}
