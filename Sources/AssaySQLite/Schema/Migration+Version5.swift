extension Migration {
    /// What signed results need: the keys that sign them, their places in status lists, and verdicts by payload.
    static let version5 = Migration(version: 5, sql: resultKeys + statusPlaces + payloadVerdicts)

    /// What `ResultKeyRegistry` keeps. Never removed, so the number is the order of publication.
    private static let resultKeys = """
        CREATE TABLE result_keys (
            number INTEGER PRIMARY KEY,
            identifier BLOB NOT NULL UNIQUE,
            issuer INTEGER NOT NULL,
            public_key BLOB NOT NULL,
            published_at INTEGER NOT NULL,
            signs_from INTEGER
        ) STRICT;
        """

    /// What `ResultStatusRegistry` keeps.
    private static let statusPlaces = """
        -- Numbered through all lists (ResultStatusPlace), so that a list is a range. A number is never given again.
        CREATE TABLE status_places (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            device BLOB NOT NULL,
            audience BLOB NOT NULL,
            kept_until INTEGER NOT NULL,
            UNIQUE (device, audience)
        ) STRICT;
        CREATE INDEX status_places_kept ON status_places (kept_until);

        -- No row: what the list says has not changed yet. Kept when the list has no places any more, so that no revision goes back.
        CREATE TABLE status_lists (
            list INTEGER PRIMARY KEY,
            revision INTEGER NOT NULL
        ) STRICT;

        -- Registered devices of which a judgement failed.
        CREATE TABLE invalid_devices (
            device BLOB PRIMARY KEY
        ) STRICT, WITHOUT ROWID;
        """

    /// What `PayloadIndex` keeps.
    private static let payloadVerdicts = """
        CREATE TABLE payload_verdicts (
            number INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            device BLOB,
            time INTEGER NOT NULL,
            kept_until INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT;
        CREATE INDEX payload_verdicts_key ON payload_verdicts (key, time);
        CREATE INDEX payload_verdicts_kept ON payload_verdicts (kept_until);
        CREATE INDEX payload_verdicts_device ON payload_verdicts (device) WHERE device IS NOT NULL;
        """
}
