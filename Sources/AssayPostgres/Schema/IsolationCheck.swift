/// Whether the server keeps to READ COMMITTED: a statement sees what was committed before it, also inside a transaction. The spent
/// horizon is read after the tokens are spent, and would be too old under snapshots of whole transactions, which some databases give in
/// place of READ COMMITTED without saying so.
enum IsolationCheck {
    static func run(
        _ connection: PostgresConnection, _ other: PostgresConnection, level: String = "READ COMMITTED",
        within milliseconds: Int64
    ) throws(PostgresError) {
        let read = SQLStatement("SELECT value FROM meta WHERE name = 'probe'")
        defer { connection.rollBack(within: milliseconds) }
        let begin = SQLStatement.once("BEGIN ISOLATION LEVEL \(level)")
        let before = try connection.run([begin, read], within: milliseconds).last?.first { $0.int64(0) }
        let written = try other.query(
            SQLStatement("UPDATE meta SET value = value + 1 WHERE name = 'probe' RETURNING value"), within: milliseconds
        ).first { $0.int64(0) }
        let after = try connection.query(read, within: milliseconds).first { $0.int64(0) }
        // Another daemon may probe at the same time, so the value may be higher.
        guard let before, let written, let after, after >= written, after > before else {
            throw .unsuitable("the server does not keep to READ COMMITTED: a statement did not see a commit before it")
        }
    }
}
