extension Migration {
    /// Leases of writers' names and of the work that one daemon does for all, and what the server was when it was last seen. Daemons of
    /// version 1 go on beside it: they hold their names without a lease, as before.
    static let version2 = Migration(
        version: 2, oldest: 1,
        statements: [
            // The process that holds the name, in milliseconds of the server's clock; 0 when it gave the name back. "instance" is the same
            // in processes of which one can only run after the other (LedgerHolder), "held_by" is for people.
            """
            ALTER TABLE writers
                ADD COLUMN held_until bigint NOT NULL DEFAULT 0,
                ADD COLUMN instance text COLLATE "C" NOT NULL DEFAULT '',
                ADD COLUMN held_by text COLLATE "C" NOT NULL DEFAULT ''
            """,
            // Who does what one daemon does for all (BackgroundWork): as long as that writer's lease lasts.
            "CREATE TABLE work (name text COLLATE \"C\" PRIMARY KEY, writer bigint NOT NULL)",
            // system, timeline: the server that the ledger was on. unconfirmed: 1 if the last commits may be missing on a server that takes
            // its place. setbacks: how often challenge keys were removed for that (ServerHistory).
            "INSERT INTO meta VALUES ('system', 0), ('timeline', 0), ('unconfirmed', 0), ('setbacks', 0)",
        ])
}
