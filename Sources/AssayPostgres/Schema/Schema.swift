/// The schema of the database: its version, and the migrations to the newest one.
///
/// Daemons of two versions run side by side during an upgrade. So a migration must be one with which the version before can go on, or
/// name that version in `oldest` as too old.
enum Schema {
    /// Versions 1, 2, 3, …, in order.
    static let migrations = [Migration.version1, .version2, .version3, .version4]

    static var newest: Int64 { migrations.last?.version ?? 0 }

    /// Migrates the database to the newest version, each step in a transaction of its own that locks the row of the version first: other
    /// daemons may migrate too.
    ///
    /// - Parameter mayCreate: whether a ledger is made where there is none.
    static func migrate(
        _ connection: PostgresConnection, _ settings: PostgresSettings, mayCreate: Bool,
        _ migrations: [Migration] = Schema.migrations
    ) throws(PostgresError) {
        if try !exists(connection, settings) {
            guard mayCreate else { throw .unsuitable("the \(settings) holds no ledger in its schema \(settings.schema)") }
            try found(connection, settings)
        }
        for migration in migrations {
            do throws(PostgresError) {
                let begin = ["BEGIN", "SET LOCAL lock_timeout = '\(lockTimeout)ms'"].map { SQLStatement.once($0) }
                let rows = try connection.run(
                    begin + [SQLStatement("SELECT value FROM meta WHERE name = 'schema' FOR UPDATE")], within: timeout)
                let version = try rows.last?.first { $0.int64(0) }
                try check(connection, version: version, newest: migrations.last?.version ?? 0)
                if let version, version < migration.version {
                    _ = try connection.run(
                        connection.engine.adapted(migration.statements).map { .once($0) }, within: timeout)
                    let versions: [(String, Int64)] = [("schema", migration.version), ("oldest", migration.oldest)]
                    let updates = versions.map { name, value in
                        SQLStatement("UPDATE meta SET value = $2 WHERE name = $1", .text(name), .int8(value))
                    }
                    _ = try connection.commit(after: updates, within: timeout)
                } else {
                    connection.rollBack(within: timeout)
                }
            } catch {
                connection.rollBack(within: timeout)
                // duplicate_table
                throw error.state == "42P07"
                    ? .unsuitable(
                        "the schema \"\(settings.schema)\" has tables that are not of a ledger: \(error.message): give the ledger a schema of its own"
                    )
                    : error
            }
        }
    }

    /// Throws unless this version of Assay can use the ledger: it was migrated when it was opened, and another daemon may have migrated
    /// it further since.
    static func check(_ connection: PostgresConnection, within milliseconds: Int64) throws(PostgresError) {
        let rows = try connection.query(SQLStatement("SELECT value FROM meta WHERE name = 'schema'"), within: milliseconds)
        try check(connection, version: try rows.first { $0.int64(0) }, newest: newest)
    }

    /// The version of the ledger's schema; 0 if it is not finished.
    static func version(_ connection: PostgresConnection) throws(PostgresError) -> Int64 {
        try connection.query(SQLStatement("SELECT value FROM meta WHERE name = 'schema'"), within: timeout).first {
            $0.int64(0)
        }
            ?? 0
    }

    /// Whether the schema has a ledger, even an unfinished one.
    static func exists(_ connection: PostgresConnection, _ settings: PostgresSettings) throws(PostgresError) -> Bool {
        let find = SQLStatement(
            """
            SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relname = 'meta'
            """, .text(settings.schema))
        return try !connection.query(find, within: timeout).isEmpty
    }

    // MARK: Steps

    /// How long a statement of a migration waits for a lock, and how long one trip may take, in milliseconds.
    private static let lockTimeout = 60_000
    private static let timeout: Int64 = 300_000

    /// The table that migrations lock.
    static let foundation = [
        "CREATE TABLE meta (name text COLLATE \"C\" PRIMARY KEY, value bigint NOT NULL)",
        "INSERT INTO meta VALUES ('schema', 0), ('oldest', 0)",
    ]

    /// Makes the schema with the table that migrations lock. Another daemon may be doing the same.
    private static func found(_ connection: PostgresConnection, _ settings: PostgresSettings) throws(PostgresError) {
        let find = SQLStatement("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", .text(settings.schema))
        if try connection.query(find, within: timeout).isEmpty {
            try make(connection, ["CREATE SCHEMA \"\(settings.schema)\""])
        }
        try make(connection, connection.engine.adapted(foundation))
    }

    private static func make(_ connection: PostgresConnection, _ statements: [String]) throws(PostgresError) {
        do throws(PostgresError) {
            _ = try connection.commit(after: (["BEGIN"] + statements).map { SQLStatement.once($0) }, within: timeout)
        } catch {
            connection.rollBack(within: timeout)
            // duplicate_schema, duplicate_table, duplicate_object (its row type), unique_violation of the catalogue: another daemon was
            // faster.
            guard ["42P06", "42P07", "42710", "23505"].contains(error.state) else { throw error }
        }
    }

    private static func check(
        _ connection: PostgresConnection, version: Int64?, newest: Int64
    ) throws(PostgresError) {
        guard let version else { throw .unsuitable("the schema has a table \"meta\" that is not of a ledger") }
        guard version > newest else { return }
        let rows = try connection.query(SQLStatement("SELECT value FROM meta WHERE name = 'oldest'"), within: timeout)
        let oldest = try rows.first { $0.int64(0) } ?? version
        guard oldest <= newest else {
            throw .unsuitable(
                "the ledger has schema version \(version), which needs a version of Assay that knows \(oldest); this one knows \(newest)"
            )
        }
    }
}

/// A step of the schema, from the version before it to `version`. A released step is never changed; further steps follow it.
struct Migration: Sendable {
    let version: Int64
    /// The oldest newest version of a daemon that can go on after the step.
    let oldest: Int64
    let statements: [String]
}
