extension Migration {
    /// API keys of callers, and the texts of policies.
    static let version4 = Migration(version: 4, sql: callerKeys + policies)

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

    /// What `PolicyStore` keeps.
    private static let policies = """
        -- Never removed, so the number is the order of listings. The text comes last: a scan that does not read it does not read its
        -- pages.
        CREATE TABLE policies (
            number INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            app TEXT NOT NULL,
            first_seen INTEGER NOT NULL,
            size INTEGER NOT NULL,
            text TEXT NOT NULL
        ) STRICT;
        """
}
