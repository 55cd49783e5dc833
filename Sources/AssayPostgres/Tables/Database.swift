/// A connection, and how long each trip over it may take. Tables are read and changed with it.
struct Database {
    let connection: PostgresConnection
    /// In milliseconds.
    let timeout: Int64

    func query(_ sql: String, _ parameters: SQLValue...) throws(PostgresError) -> PostgresRows {
        try connection.query(SQLStatement(sql, parameters), within: timeout)
    }

    /// The result of a query that reads whole tables, which the plans of a session avoid otherwise (`ServerEngine`). Not in a transaction.
    func scan(_ sql: String) throws(PostgresError) -> PostgresRows {
        guard connection.engine.isOneServer else { return try query(sql) }
        do throws(PostgresError) {
            let steps = ["BEGIN READ ONLY", "SET LOCAL enable_seqscan = on", sql, "COMMIT"]
            let answers = try run(steps.map { .once($0) })
            guard answers.count == steps.count else { throw .damaged("a scan has no result") }
            return answers[2]
        } catch {
            connection.rollBack(within: timeout)
            throw error
        }
    }

    func find<Value>(_ lookup: Lookup<Value>) throws(PostgresError) -> Value {
        try lookup.value(try connection.query(lookup.statement, within: timeout))
    }

    /// Runs statements in one trip.
    func run(_ statements: [SQLStatement]) throws(PostgresError) -> [PostgresRows] {
        statements.isEmpty ? [] : try connection.run(statements, within: timeout)
    }
}
