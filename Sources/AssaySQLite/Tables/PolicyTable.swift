import AssayCore

/// The policies that judged, by their digests. Rare, so the statements are not kept.
struct PolicyTable {
    let connection: SQLiteConnection

    /// Adds a policy unless one of its digest is on record.
    func add(_ policy: StoredPolicy) throws(SQLiteError) {
        let insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO policies (digest, app, first_seen, size, text) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING
            """)
        insert.bind(1, policy.digest)
        insert.bind(2, policy.app.text)
        insert.bind(3, policy.firstSeen.unixMilliseconds)
        insert.bind(4, Int64(policy.text.utf8.count))
        insert.bind(5, policy.text)
        try insert.run()
    }

    /// At most two policies whose digest begins with a prefix, in the order of their digests.
    func policies(beginning prefix: [UInt8]) throws(SQLiteError) -> [StoredPolicy] {
        let select = try SQLiteStatement(
            connection,
            """
            SELECT digest, app, first_seen, text FROM policies
            WHERE digest >= ?1 AND substr(digest, 1, ?2) = ?1 ORDER BY digest LIMIT 2
            """)
        select.bind(1, prefix)
        select.bind(2, Int64(prefix.count))
        return try select.all { row throws(SQLiteError) in
            StoredPolicy(
                digest: row.bytes(0), app: try Self.app(row, 1), text: row.text(3),
                firstSeen: Timestamp(unixMilliseconds: row.int64(2)))
        }
    }

    func page(_ listing: PolicyListing) throws(SQLiteError) -> PolicyPage {
        let select = try SQLiteStatement(
            connection,
            """
            SELECT number, digest, app, first_seen, size FROM policies
            WHERE number < ?1 AND (?2 = '' OR app = ?2) ORDER BY number DESC LIMIT ?3
            """)
        // One more than wanted tells whether a page follows.
        let limit = max(1, listing.limit)
        select.bind(1, listing.position)
        select.bind(2, listing.app?.text ?? "")
        select.bind(3, Int64(limit) + 1)
        let found = try select.all { row throws(SQLiteError) in
            (
                number: row.int64(0),
                row: PolicyPage.Row(
                    digest: row.bytes(1), app: try Self.app(row, 2), firstSeen: Timestamp(unixMilliseconds: row.int64(3)),
                    size: Int(clamping: row.int64(4)))
            )
        }
        let shown = found.prefix(limit)
        return PolicyPage(rows: shown.map(\.row), next: found.count > limit ? shown.last?.number : nil)
    }

    private static func app(_ row: SQLiteStatement, _ column: Int32) throws(SQLiteError) -> AppID {
        guard let app = AppID(row.text(column)) else { throw .damaged("a policy names no app") }
        return app
    }
}
