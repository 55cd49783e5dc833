extension Migration {
    /// The texts of policies: what `PolicyStore` keeps.
    static let version4 = Migration(
        version: 4,
        sql: """
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
            """)
}
