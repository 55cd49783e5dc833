import AssayCore

/// Uploads, and the chunks that were stated of them.
final class UploadTable {
    /// The most uploads of one purge, so that commits run between purges. Each has up to 800 chunks.
    static let purgeLimit = 20

    private let connection: SQLiteConnection
    private let find: SQLiteStatement
    private let list: SQLiteStatement
    private let insert: SQLiteStatement
    private let insertChunk: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        find = try SQLiteStatement(connection, Self.finding)
        list = try SQLiteStatement(connection, Self.listing)
        insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO uploads (id, app, caller, size, chunk_size, payload_sha256, begun_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        insertChunk = try SQLiteStatement(
            connection, "INSERT INTO upload_chunks (upload, chunk, sha256) VALUES (?1, ?2, ?3)")
    }

    /// ?1 the id.
    static let finding = """
        SELECT app, caller, size, chunk_size, payload_sha256, begun_at, expires_at, finished_at FROM uploads WHERE id = ?1
        """

    /// ?1 the upload.
    static let listing = "SELECT chunk, sha256 FROM upload_chunks WHERE upload = ?1 ORDER BY chunk"

    /// The unfinished uploads of an app, at most as many as may be. ?1 the app, ?2 the time, ?3 the most.
    static let counting = """
        SELECT count(*) FROM (SELECT 1 FROM uploads WHERE app = ?1 AND expires_at > ?2 AND finished_at IS NULL LIMIT ?3)
        """

    /// ?1 the time.
    static let ending = "SELECT id FROM uploads WHERE expires_at < ?1 ORDER BY expires_at LIMIT \(purgeLimit)"

    // MARK: Reading

    func upload(_ id: UploadID) throws(SQLiteError) -> Upload? { try Self.upload(id, find) }

    /// The hash of each chunk that was stated.
    func chunks(of id: UploadID) throws(SQLiteError) -> [Int: [UInt8]] { try Self.chunks(of: id, list) }

    static func upload(_ id: UploadID, _ find: SQLiteStatement) throws(SQLiteError) -> Upload? {
        find.bind(1, id.bytes)
        return try find.first { row throws(SQLiteError) in
            guard let app = AppID(row.text(0)),
                let plan = try? ChunkPlan(size: UInt64(clamping: row.int64(2)), chunkSize: UInt64(clamping: row.int64(3)))
            else { throw .damaged("an upload is of no app, or has no size that an upload can have") }
            return Upload(
                id: id, owner: UploadOwner(app: app, caller: row.text(1)), plan: plan, payloadSHA256: row.bytes(4),
                begunAt: Timestamp(unixMilliseconds: row.int64(5)), expiry: Timestamp(unixMilliseconds: row.int64(6)),
                finishedAt: row.isNull(7) ? nil : Timestamp(unixMilliseconds: row.int64(7)))
        }
    }

    static func chunks(of id: UploadID, _ list: SQLiteStatement) throws(SQLiteError) -> [Int: [UInt8]] {
        list.bind(1, id.bytes)
        var chunks: [Int: [UInt8]] = [:]
        try list.forEach { row throws(SQLiteError) in
            chunks[Int(row.int64(0))] = row.bytes(1)
            return true
        }
        return chunks
    }

    /// The number of unfinished uploads of an app; no more than `limit` are counted.
    func openCount(of app: AppID, at now: Timestamp, limit: Int) throws(SQLiteError) -> Int {
        let count = try SQLiteStatement(connection, Self.counting)
        count.bind(1, app.text)
        count.bind(2, now.unixMilliseconds)
        count.bind(3, Int64(max(0, limit)))
        return Int(try count.first { $0.int64(0) } ?? 0)
    }

    // MARK: Changes

    func add(_ upload: Upload) throws(SQLiteError) {
        insert.bind(1, upload.id.bytes)
        insert.bind(2, upload.owner.app.text)
        insert.bind(3, upload.owner.caller)
        insert.bind(4, upload.plan.size)
        insert.bind(5, upload.plan.chunkSize)
        insert.bind(6, upload.payloadSHA256)
        insert.bind(7, upload.begunAt.unixMilliseconds)
        insert.bind(8, upload.expiry.unixMilliseconds)
        try insert.run()
    }

    func add(_ chunks: [UploadChunk], to id: UploadID) throws(SQLiteError) {
        for chunk in chunks {
            insertChunk.bind(1, id.bytes)
            insertChunk.bind(2, Int64(chunk.index))
            insertChunk.bind(3, chunk.sha256)
            try insertChunk.run()
        }
    }

    func finish(_ id: UploadID, at time: Timestamp) throws(SQLiteError) {
        let update = try SQLiteStatement(connection, "UPDATE uploads SET finished_at = ?2 WHERE id = ?1")
        update.bind(1, id.bytes)
        update.bind(2, time.unixMilliseconds)
        try update.run()
    }

    func remove(_ id: UploadID) throws(SQLiteError) {
        for sql in ["DELETE FROM upload_chunks WHERE upload = ?1", "DELETE FROM uploads WHERE id = ?1"] {
            let delete = try SQLiteStatement(connection, sql)
            delete.bind(1, id.bytes)
            try delete.run()
        }
    }

    /// Removes at most `purgeLimit` uploads that expired so long before `now` that they are not shown any more. True if there may be more.
    func purge(now: Timestamp) throws(SQLiteError) -> Bool {
        let select = try SQLiteStatement(connection, Self.ending)
        select.bind(1, now.adding(milliseconds: -Upload.rememberedFor).unixMilliseconds)
        let ended = try select.all { UploadID(bytes: $0.bytes(0)) }.compactMap(\.self)
        for id in ended { try remove(id) }
        return ended.count >= Self.purgeLimit
    }
}

/// What a reader reads of uploads.
struct UploadScan {
    let connection: SQLiteConnection

    func upload(_ id: UploadID) throws(SQLiteError) -> Upload? {
        try UploadTable.upload(id, try SQLiteStatement(connection, UploadTable.finding))
    }

    /// The upload and its chunks as they were at one instant.
    func progress(of id: UploadID, by owner: UploadOwner) throws(SQLiteError) -> UploadProgress? {
        guard let upload = try upload(id), upload.owner == owner else { return nil }
        let chunks = try UploadTable.chunks(of: id, try SQLiteStatement(connection, UploadTable.listing))
        return UploadProgress(upload, completed: Set(chunks.keys))
    }
}
