/// Whether a connection stays with one process of the server. A pooler may give each transaction another one: settings of the session, with
/// which commits are durable and tables are found, are then those of some other client.
enum PoolerCheck {
    static func run(
        _ connection: PostgresConnection, _ other: PostgresConnection, within milliseconds: Int64
    ) throws(PostgresError) {
        defer { connection.rollBack(within: milliseconds) }
        do throws(PostgresError) {
            // In a transaction, so that a pooler gives the other connection another process.
            _ = try connection.run([.once("BEGIN"), .once(question)], within: milliseconds)
            let first = try process(of: other, within: milliseconds)
            connection.rollBack(within: milliseconds)
            // Two are free now. A pooler gives out the one that came back last, or the one that has waited longest.
            for _ in 0..<2 where try process(of: other, within: milliseconds) != first { throw found }
        } catch {
            throw refusalOfFirst(error) ?? error
        }
    }

    /// For a connection that is not with the process that it was made with.
    static let found = PostgresError.unsuitable(
        "a connection changes between processes of the server: connect directly, or through a pooler that pools sessions, not transactions"
    )

    /// What PgBouncer says to the beginning of a transaction where it pools statements; `nil` for another failure.
    static func refusal(_ error: PostgresError) -> PostgresError? {
        guard error.kind != .unsuitable, error.message.contains("statement pooling") else { return nil }
        return .unsuitable("the pooler allows no transactions (\(error.message)): \(remedy)")
    }

    private static let remedy = "connect directly, or through a pooler that pools sessions, not statements"

    /// The same for a connection that ends at the beginning of its first transaction, with or without a word of the pooler.
    private static func refusalOfFirst(_ error: PostgresError) -> PostgresError? {
        if let refusal = refusal(error) { return refusal }
        guard error.kind == .connection else { return nil }
        return PostgresError(
            .connection,
            "\(error.message) It ended at the beginning of a transaction, as by a pooler that pools statements; if there is one: \(remedy)"
        )
    }

    /// The server's process of a connection: an expression of SQL.
    static let expression = "pg_catalog.pg_backend_pid()::bigint"
    private static let question = "SELECT \(expression)"

    static func process(
        of connection: PostgresConnection, within milliseconds: Int64
    ) throws(PostgresError) -> Int64? {
        try connection.query(.once(question), within: milliseconds).first { $0.int64(0) }
    }
}
