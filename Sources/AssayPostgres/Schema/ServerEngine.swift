/// The database behind PostgreSQL's protocol. The ledger's statements are those that all of them have; where one lacks something, another
/// way is chosen here.
///
/// YugabyteDB and CockroachDB keep each commit on a majority of their nodes, so that there is no standby to ask for and no promotion to
/// look for. Both were written for by their documents; docs/operate/other-databases.md says what was run.
package enum ServerEngine: Hashable, Sendable {
    /// Also with Citus, where the ledger's tables stay on one node.
    case postgresql
    case yugabyteDB
    case cockroachDB

    /// - Parameter version: what the function `version()` says, such as `PostgreSQL 15.8 (Debian 15.8-1) …`, `PostgreSQL 15.2-YB-2.25.1.0-b0 …`
    ///   or `CockroachDB CCL v24.1.2 …`.
    init(version: String) {
        if version.hasPrefix("CockroachDB") {
            self = .cockroachDB
        } else if version.contains("-YB-") {
            self = .yugabyteDB
        } else {
            self = .postgresql
        }
    }

    /// Whether it has a cluster's identity, timelines, standby servers, and the settings that make a commit durable.
    var isOneServer: Bool { self == .postgresql }

    /// Whether spent challenges lie in a table for each ten minutes, which is dropped whole under a lock of the table above. The others
    /// have no `LOCK TABLE`, and delete rows.
    var hasPartitions: Bool { self == .postgresql }

    /// Whether daemons tell each other of changes. In the others `LISTEN` is missing or switched off, and cached devices are read again
    /// when their lifetime has ended.
    var notifies: Bool { self == .postgresql }

    /// The settings of a session beside `search_path`.
    func sessionSettings(_ settings: PostgresSettings) -> [(String, String)] {
        let all = [
            ("client_min_messages", "warning"), ("lock_timeout", "\(settings.lockTimeout)ms"),
            ("idle_in_transaction_session_timeout", "\(settings.idleTransactionTimeout)ms"),
        ]
        guard isOneServer else { return all }
        return all + [("plan_cache_mode", "force_generic_plan"), ("row_security", "off")] + Self.plansByKeys.map { ($0, "off") }
    }

    /// Off, so that plans find rows by their keys. Plans are kept, and the server's statistics learn only after a minute that a table has grown:
    /// until then a plan for a small table would read a large one as a whole, and compare each of its rows with each element of an array. So an
    /// array is also run through in its order, in which rows are locked. Plans are not compiled: one that can only read a whole table counts as
    /// dear under these settings.
    private static let plansByKeys = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"]

    /// The statements of a migration as the engine has them: without partitions and without the storage of PostgreSQL's tables, and with
    /// keys that spread. A key that rises with time, such as an expiry, would bring every new row to the same node.
    func adapted(_ statements: [String]) -> [String] {
        guard self != .postgresql else { return statements }
        return statements.flatMap { statement -> [String] in
            // CockroachDB refuses a partial index on a column that the same transaction adds: there flagged devices are found by `devices_app`.
            if self == .cockroachDB, statement.hasPrefix("CREATE INDEX devices_flagged ") { return [] }
            var text = changes.reduce(statement) { $0.replacing($1.text, with: $1.replacement) }
            if text.hasPrefix("CREATE TABLE"), let storage = text.firstRange(of: ") WITH (") {
                text = text[..<storage.lowerBound] + ")"
            }
            // A list is a range of numbers, which a key that is spread by its hash does not serve.
            if self == .yugabyteDB, text.hasPrefix("CREATE TABLE status_places ") {
                return [text, "CREATE INDEX status_places_number ON status_places (number ASC)"]
            }
            // The tokens are random, so they come first in the key; what has expired is found by an index.
            guard text != statement, text.hasPrefix("CREATE TABLE spent ") else { return [text] }
            return [text, "CREATE INDEX spent_expiry ON spent (expiry\(self == .cockroachDB ? ") USING HASH" : " ASC)")"]
        }
    }

    /// What is replaced in the definitions of version 1 and later.
    var changes: [(text: String, replacement: String)] {
        let partitions = ("PRIMARY KEY (expiry, token)) PARTITION BY RANGE (expiry)", "PRIMARY KEY (token, expiry))")
        switch self {
        case .postgresql: return []
        case .yugabyteDB:
            // The first column of a key is spread by its hash unless an order is given, and then serves no ranges.
            return [
                partitions, ("ON used (expiry)", "ON used (expiry ASC)"),
                ("ON idempotency (expiry, number)", "ON idempotency (expiry ASC, number ASC)"),
                ("ON submissions (hour)", "ON submissions (hour ASC)"),
                ("ON status_places (kept_until)", "ON status_places (kept_until ASC)"),
                ("ON payload_verdicts (kept_until)", "ON payload_verdicts (kept_until ASC)"),
                ("ON uploads (expires_at)", "ON uploads (expires_at ASC)"),
            ]
        case .cockroachDB:
            // All texts are compared as bytes, and not all versions know the name of that order.
            return [
                partitions, (" COLLATE \"C\"", ""),
                ("PRIMARY KEY (writer, number))", "PRIMARY KEY (writer, number) USING HASH)"),
                ("ON used (expiry)", "ON used (expiry) USING HASH"),
                ("ON idempotency (expiry, number)", "ON idempotency (expiry, number) USING HASH"),
                ("ON submissions (hour)", "ON submissions (hour) USING HASH"),
                ("ON status_places (kept_until)", "ON status_places (kept_until) USING HASH"),
                ("ON payload_verdicts (kept_until)", "ON payload_verdicts (kept_until) USING HASH"),
                ("ON uploads (expires_at)", "ON uploads (expires_at) USING HASH"),
            ]
        }
    }
}
