extension Migration {
    /// Uploads in chunks: what `UploadRegistry` keeps. Daemons of version 3 go on beside it and know no uploads.
    static let version4 = Migration(version: 4, oldest: 1, statements: uploads)

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
