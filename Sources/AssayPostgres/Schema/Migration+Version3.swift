extension Migration {
    /// What signed results need: the keys that sign them, their places in status lists, and verdicts by payload. Daemons of version 2 go on
    /// beside it: what a status list says of their blocks is found when it is made the next time, whatever its revision.
    static let version3 = Migration(version: 3, oldest: 1, statements: resultKeys + statusPlaces + payloadVerdicts)

    /// What `ResultKeyRegistry` keeps. Never removed, so the number is the order of publication. Keys are added by one transaction at a time,
    /// which locks the row of `meta`.
    private static let resultKeys = [
        """
        CREATE TABLE result_keys (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            identifier bytea NOT NULL UNIQUE,
            issuer bigint NOT NULL,
            public_key bytea NOT NULL,
            published_at bigint NOT NULL,
            signs_from bigint)
        """,
        "INSERT INTO meta VALUES ('result_keys', 0)",
    ]

    /// What `ResultStatusRegistry` keeps.
    private static let statusPlaces = [
        // Numbered through all lists (ResultStatusPlace), so that a list is a range. A number is never given again, also by a transaction
        // that did not commit.
        """
        CREATE TABLE status_places (
            number bigint GENERATED ALWAYS AS IDENTITY,
            device bytea NOT NULL,
            audience bytea NOT NULL,
            kept_until bigint NOT NULL,
            PRIMARY KEY (number), UNIQUE (device, audience))
        """,
        "CREATE INDEX status_places_kept ON status_places (kept_until)",
        // Kept when the list has no places any more, so that no revision goes back.
        "CREATE TABLE status_lists (list bigint PRIMARY KEY, revision bigint NOT NULL)",
        // Registered devices of which a judgement failed.
        "CREATE TABLE invalid_devices (device bytea PRIMARY KEY)",
    ]

    /// What `PayloadIndex` keeps.
    private static let payloadVerdicts = [
        """
        CREATE TABLE payload_verdicts (
            key bytea NOT NULL,
            time bigint NOT NULL,
            number bigint GENERATED ALWAYS AS IDENTITY,
            device bytea,
            kept_until bigint NOT NULL,
            content bytea NOT NULL,
            PRIMARY KEY (key, time, number))
        """,
        "CREATE INDEX payload_verdicts_kept ON payload_verdicts (kept_until)",
        "CREATE INDEX payload_verdicts_device ON payload_verdicts (device) WHERE device IS NOT NULL",
    ]
}
