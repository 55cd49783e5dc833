extension Migration {
    /// API keys of callers.
    static let version4 = Migration(version: 4, sql: callerKeys)

    /// `apps` is NULL for all apps, otherwise their names with a line feed between them; so are the roles.
    private static let callerKeys = """
        CREATE TABLE caller_keys (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            hash BLOB NOT NULL UNIQUE,
            roles TEXT NOT NULL,
            apps TEXT,
            created_at INTEGER NOT NULL,
            created_by TEXT NOT NULL,
            expires_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT;
        """
}
