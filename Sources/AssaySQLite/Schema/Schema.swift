import CSQLite

/// The shape of the file: which application it belongs to, which version it has, how it gets to the newest.
enum Schema {
    /// "ASAY": the file says whose it is (`file(1)` shows it).
    static let applicationID: Int64 = 0x4153_4159

    /// In order, versions 1, 2, 3, …
    static let migrations = [Migration.version1]

    /// Brings the file to the newest version, each step in a transaction of its own.
    static func migrate(
        _ connection: SQLiteConnection, _ migrations: [Migration] = Schema.migrations
    ) throws(SQLiteFailure) {
        for migration in migrations {
            // Another process may be migrating too: the version is read under the lock.
            try connection.execute("BEGIN IMMEDIATE")
            do throws(SQLiteFailure) {
                let version = try connection.integer("PRAGMA user_version")
                try checkKnown(connection, version: version, newest: migrations.last?.version ?? 0)
                if version < migration.version {
                    try connection.execute(migration.sql)
                    try connection.execute(
                        "PRAGMA application_id=\(applicationID); PRAGMA user_version=\(migration.version)")
                }
                try connection.execute("COMMIT")
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
        }
    }

    /// Refuses any file but a ledger of the newest version. What was migrated when it was opened cannot become older by
    /// itself: somebody put another file in its place.
    static func check(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        let version = try connection.integer("PRAGMA user_version")
        let newest = migrations.last?.version ?? 0
        try checkKnown(connection, version: version, newest: newest)
        guard version == newest else {
            throw SQLiteFailure(SQLITE_CANTOPEN, "schema version \(version) in place of \(newest): the file was exchanged")
        }
    }

    private static func checkKnown(
        _ connection: SQLiteConnection, version: Int64, newest: Int64
    ) throws(SQLiteFailure) {
        let application = try connection.integer("PRAGMA application_id")
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        let isNew = version == 0 && application == 0 && tables == 0
        guard isNew || application == applicationID else {
            throw SQLiteFailure(SQLITE_CANTOPEN, "the file is no Assay ledger (application id \(application))")
        }
        guard version <= newest else {
            throw SQLiteFailure(SQLITE_CANTOPEN, "schema version \(version) is newer than \(newest), the newest known here")
        }
    }
}
