import CSQLite

/// The schema of the file: its application id, its version, and the migrations to the newest version.
enum Schema {
    /// "ASAY", SQLite's application id of a ledger, which `file(1)` shows.
    static let applicationID: Int64 = 0x4153_4159

    /// Versions 1, 2, 3, …, in order.
    static let migrations = [Migration.version1, .version2, .version3, .version4, .version5, .version6]

    static var newest: Int64 { migrations.last?.version ?? 0 }

    /// Migrates the file to the newest version, each step in a transaction of its own.
    static func migrate(
        _ connection: SQLiteConnection, _ migrations: [Migration] = Schema.migrations
    ) throws(SQLiteError) {
        for migration in migrations {
            // Read under the lock: another process may migrate too.
            try connection.execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
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

    /// Throws unless the file is a ledger of the newest version. The ledger was migrated when it was opened, so an older version means that
    /// the file was exchanged.
    static func check(_ connection: SQLiteConnection) throws(SQLiteError) {
        let version = try connection.integer("PRAGMA user_version")
        let newest = migrations.last?.version ?? 0
        try checkKnown(connection, version: version, newest: newest)
        guard version == newest else {
            throw SQLiteError(SQLITE_CANTOPEN, "schema version \(version) in place of \(newest): the file was exchanged")
        }
    }

    /// Throws unless the file is a ledger whose audit log this version can read: of the newest version or an earlier one, since no
    /// migration changed its tables.
    static func checkAudit(_ connection: SQLiteConnection) throws(SQLiteError) {
        let version = try connection.integer("PRAGMA user_version")
        try checkKnown(connection, version: version, newest: migrations.last?.version ?? 0)
        guard version > 0 else { throw SQLiteError(SQLITE_CANTOPEN, "the file is empty: it has no audit log") }
    }

    private static func checkKnown(
        _ connection: SQLiteConnection, version: Int64, newest: Int64
    ) throws(SQLiteError) {
        let application = try connection.integer("PRAGMA application_id")
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        let isNew = version == 0 && application == 0 && tables == 0
        guard isNew || application == applicationID else {
            throw SQLiteError(SQLITE_CANTOPEN, "the file is no Assay ledger (application id \(application))")
        }
        guard version <= newest else {
            throw SQLiteError(SQLITE_CANTOPEN, "schema version \(version) is newer than \(newest), the newest known here")
        }
    }
}

/// A step of the schema, from the version before it to `version`. A released step is never changed; further steps follow it.
struct Migration: Sendable {
    let version: Int64
    let sql: String
}
