/// Whether a connection stays with one process of the server. A pooler may give each transaction another one: settings of the session, with
/// which commits are durable and tables are found, are then those of some other client.
enum PoolerCheck {
    static func run(
        _ connection: PostgresConnection, _ other: PostgresConnection, within milliseconds: Int64
    ) throws(PostgresError) {
        defer { connection.rollBack(within: milliseconds) }
        // In a transaction, so that a pooler gives the other connection another process.
        _ = try connection.run([.once("BEGIN"), .once(process)], within: milliseconds)
        let first = try processID(other, within: milliseconds)
        connection.rollBack(within: milliseconds)
        // Two are free now. A pooler gives out the one that came back last, or the one that has waited longest.
        for _ in 0..<2 where try processID(other, within: milliseconds) != first {
            throw .unsuitable(
                "a connection changes between processes of the server: connect directly, or through a pooler that pools sessions, not transactions"
            )
        }
    }

    private static let process = "SELECT pg_catalog.pg_backend_pid()"

    private static func processID(
        _ connection: PostgresConnection, within milliseconds: Int64
    ) throws(PostgresError) -> Int64? {
        try connection.query(.once(process), within: milliseconds).first { $0.int64(0) }
    }
}
