extension Migration {
    /// Uploads in chunks (what `UploadRegistry` keeps), and flags of devices.
    static let version6 = Migration(version: 6, sql: uploads + "\n" + flags)

    /// Beside the device that they are of, so that a look-up of it needs no other row: at most 8, as `[DeviceFlag]` encodes them.
    private static let flags = """
        ALTER TABLE devices ADD COLUMN flags BLOB;
        CREATE INDEX devices_flagged ON devices (app, number) WHERE flags IS NOT NULL;
        """

    private static let uploads = """
        CREATE TABLE uploads (
            id BLOB PRIMARY KEY,
            app TEXT NOT NULL,
            caller TEXT NOT NULL,
            size INTEGER NOT NULL,
            chunk_size INTEGER NOT NULL,
            payload_sha256 BLOB NOT NULL,
            begun_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            finished_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX uploads_open ON uploads (app, expires_at) WHERE finished_at IS NULL;
        CREATE INDEX uploads_expiry ON uploads (expires_at);

        -- A row of each chunk, some 60 bytes: one blob with all hashes, up to 25.6 KB, would be written again whenever a chunk is stated.
        CREATE TABLE upload_chunks (
            upload BLOB NOT NULL,
            chunk INTEGER NOT NULL,
            sha256 BLOB NOT NULL,
            PRIMARY KEY (upload, chunk)
        ) STRICT, WITHOUT ROWID;
        """
}
