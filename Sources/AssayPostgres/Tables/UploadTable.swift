import AssayCore

/// Uploads, and the chunks that were stated of them.
///
/// A transaction that changes an upload holds its row. One that begins an upload holds the row of `meta` too, and takes it first.
struct UploadTable {
    let database: Database

    /// The most uploads of one purge, so that commits run between purges. Each has up to 800 chunks.
    private static let purgeLimit = 20

    private static let selection = """
        SELECT app, caller, size, chunk_size, payload_sha256, begun_at, expires_at, finished_at FROM uploads WHERE id = $1
        """

    // MARK: Reading

    static func upload(_ id: UploadID) -> Lookup<Upload?> {
        Lookup(SQLStatement(selection, .bytes(id.bytes))) { rows throws(PostgresError) in try upload(id, rows) }
    }

    private static func chunks(of id: UploadID) -> SQLStatement {
        SQLStatement("SELECT chunk, sha256 FROM upload_chunks WHERE upload = $1", .bytes(id.bytes))
    }

    /// The upload as it is shown with its chunks; `nil` if there is none.
    func progress(of id: UploadID) throws(PostgresError) -> UploadProgress? {
        guard let upload = try database.find(Self.upload(id)) else { return nil }
        let chunks = try database.run([Self.chunks(of: id)]).last
        return UploadProgress(upload, completed: Set(try chunks?.all { Int($0.int64(0)) } ?? []))
    }

    /// The upload, which no other transaction changes before this one ends, with the hash of each of its chunks.
    func locked(_ id: UploadID) throws(PostgresError) -> (upload: Upload, chunks: [Int: [UInt8]])? {
        let answers = try database.run([
            SQLStatement(Self.selection + " FOR UPDATE", .bytes(id.bytes)), Self.chunks(of: id),
        ])
        guard let rows = answers.first, let chunks = answers.last, let upload = try Self.upload(id, rows) else { return nil }
        var known: [Int: [UInt8]] = [:]
        try chunks.forEach { row throws(PostgresError) in
            known[Int(row.int64(0))] = row.bytes(1)
            return true
        }
        return (upload, known)
    }

    private static func upload(_ id: UploadID, _ rows: PostgresRows) throws(PostgresError) -> Upload? {
        try rows.first { row throws(PostgresError) in
            guard let app = AppID(row.text(0)),
                let plan = try? ChunkPlan(size: UInt64(clamping: row.int64(2)), chunkSize: UInt64(clamping: row.int64(3)))
            else { throw .damaged("an upload is of no app, or has no size that an upload can have") }
            return Upload(
                id: id, owner: UploadOwner(app: app, caller: row.text(1)), plan: plan, payloadSHA256: row.bytes(4),
                begunAt: Timestamp(unixMilliseconds: row.int64(5)), expiry: Timestamp(unixMilliseconds: row.int64(6)),
                finishedAt: row.isNull(7) ? nil : Timestamp(unixMilliseconds: row.int64(7)))
        }
    }

    /// The number of unfinished uploads of an app, no more than `limit`. Until the transaction ends no other one begins an upload.
    func openCountToBegin(of app: AppID, at now: Timestamp, limit: Int) throws(PostgresError) -> Int {
        let count = try database.run([
            SQLStatement("SELECT 1 FROM meta WHERE name = 'uploads' FOR UPDATE"),
            SQLStatement(
                """
                SELECT count(*) FROM (SELECT 1 FROM uploads WHERE app = $1 AND expires_at > $2 AND finished_at IS NULL LIMIT $3) AS o
                """, .text(app.text), .int8(now.unixMilliseconds), .int8(Int64(max(0, limit)))),
        ]).last
        return Int(try count?.first { $0.int64(0) } ?? 0)
    }

    // MARK: Changes

    static func insertion(of upload: Upload) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO uploads (id, app, caller, size, chunk_size, payload_sha256, begun_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            .bytes(upload.id.bytes), .text(upload.owner.app.text), .text(upload.owner.caller), .int8(upload.plan.size),
            .int8(upload.plan.chunkSize), .bytes(upload.payloadSHA256), .int8(upload.begunAt.unixMilliseconds),
            .int8(upload.expiry.unixMilliseconds))
    }

    static func insertion(of chunks: [UploadChunk], into id: UploadID) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO upload_chunks (upload, chunk, sha256)
            SELECT $1, e.* FROM unnest($2::bigint[], $3::bytea[]) AS e
            """,
            .bytes(id.bytes), .int8s(chunks.map { Int64($0.index) }), .bytesList(chunks.map(\.sha256)))
    }

    static func finish(_ id: UploadID, at time: Timestamp) -> SQLStatement {
        SQLStatement("UPDATE uploads SET finished_at = $2 WHERE id = $1", .bytes(id.bytes), .int8(time.unixMilliseconds))
    }

    /// The statements that remove an upload, whose row is locked first.
    static func removal(of id: UploadID) -> [SQLStatement] {
        [
            SQLStatement("DELETE FROM uploads WHERE id = $1", .bytes(id.bytes)),
            SQLStatement("DELETE FROM upload_chunks WHERE upload = $1", .bytes(id.bytes)),
        ]
    }

    /// Removes uploads that expired so long before `now` that they are not shown any more, a bounded number. True if there may be more.
    func purge(now: Timestamp) throws(PostgresError) -> Bool {
        let ended = try database.query(
            """
            DELETE FROM uploads WHERE id = ANY (ARRAY(
                SELECT id FROM uploads WHERE expires_at < $1 ORDER BY expires_at LIMIT \(Self.purgeLimit) FOR UPDATE SKIP LOCKED))
            RETURNING id
            """, .int8(now.adding(milliseconds: -Upload.rememberedFor).unixMilliseconds)
        ).all { $0.bytes(0) }
        guard !ended.isEmpty else { return false }
        _ = try database.query("DELETE FROM upload_chunks WHERE upload = ANY ($1::bytea[])", .bytesList(ended))
        return ended.count >= Self.purgeLimit
    }
}
