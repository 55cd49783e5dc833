extension Migration {
    /// Uploads in chunks (what `UploadRegistry` keeps), and flags of devices. Daemons of version 3 go on beside it and know neither.
    static let version4 = Migration(version: 4, oldest: 1, statements: uploads + flags)

    /// Beside the device that they are of, so that a look-up of it needs no other row: at most 8, as `[DeviceFlag]` encodes them.
    private static let flags = [
        "ALTER TABLE devices ADD COLUMN flags bytea",
        "CREATE INDEX devices_flagged ON devices (app, number) WHERE flags IS NOT NULL",
    ]

    private static let uploads = [
        """
        CREATE TABLE uploads (
            id bytea PRIMARY KEY,
            app text COLLATE "C" NOT NULL,
            caller text COLLATE "C" NOT NULL,
            size bigint NOT NULL,
            chunk_size bigint NOT NULL,
            payload_sha256 bytea NOT NULL,
            begun_at bigint NOT NULL,
            expires_at bigint NOT NULL,
            finished_at bigint)
        """,
        "CREATE INDEX uploads_open ON uploads (app, expires_at) WHERE finished_at IS NULL",
        "CREATE INDEX uploads_expiry ON uploads (expires_at)",
        // A row of each chunk: one value with all hashes, up to 25.6 KB, would be written again whenever a chunk is stated.
        """
        CREATE TABLE upload_chunks (
            upload bytea NOT NULL,
            chunk bigint NOT NULL,
            sha256 bytea NOT NULL,
            PRIMARY KEY (upload, chunk))
        """,
        // Locked by a transaction that begins an upload, so that no app has more unfinished ones than it may.
        "INSERT INTO meta VALUES ('uploads', 0)",
    ]
}
