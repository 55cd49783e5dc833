import AssayCore

/// The policies that judged, by their digests.
struct PolicyTable {
    let database: Database

    /// Adds policies unless one of the digest is on record.
    func add(_ policies: [StoredPolicy]) throws(PostgresError) {
        _ = try database.run(
            policies.map { policy in
                SQLStatement(
                    """
                    INSERT INTO policies (digest, app, first_seen, size, text) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
                    """,
                    .bytes(policy.digest), .text(policy.app.text), .int8(policy.firstSeen.unixMilliseconds),
                    .int8(Int64(policy.text.utf8.count)), .text(policy.text))
            })
    }

    /// At most two policies whose digest begins with a prefix, in the order of their digests.
    func policies(beginning prefix: [UInt8]) throws(PostgresError) -> [StoredPolicy] {
        try database.query(
            """
            SELECT digest, app, first_seen, text FROM policies
            WHERE digest >= $1 AND substring(digest FROM 1 FOR length($1)) = $1 ORDER BY digest LIMIT 2
            """, .bytes(prefix)
        ).all { row throws(PostgresError) in
            StoredPolicy(
                digest: row.bytes(0), app: try Self.app(row, 1), text: row.text(3),
                firstSeen: Timestamp(unixMilliseconds: row.int64(2)))
        }
    }

    func page(_ listing: PolicyListing) throws(PostgresError) -> PolicyPage {
        // One more than wanted tells whether a page follows.
        let limit = max(1, listing.limit)
        let found = try database.query(
            """
            SELECT number, digest, app, first_seen, size FROM policies
            WHERE number < $1 AND ($2 = '' OR app = $2) ORDER BY number DESC LIMIT $3
            """, .int8(listing.position), .text(listing.app?.text ?? ""), .int8(Int64(limit) + 1)
        ).all { row throws(PostgresError) in
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

    private static func app(_ row: PostgresRow, _ column: Int32) throws(PostgresError) -> AppID {
        guard let app = AppID(row.text(column)) else { throw .damaged("a policy names no app") }
        return app
    }
}

/// The wrapped secrets, by name and number.
struct SecretTable {
    let database: Database

    /// Adds a secret unless one of its name and number exists, and returns the stored one.
    func add(_ secret: WrappedSecret) throws(PostgresError) -> WrappedSecret {
        let stored = try database.run([
            SQLStatement(
                "INSERT INTO secrets VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING", .text(secret.name),
                .int8(Int64(secret.number)), .bytes(secret.wrapped), .int8(secret.createdAt.unixMilliseconds)),
            SQLStatement(
                "SELECT name, number, wrapped, created_at FROM secrets WHERE name = $1 AND number = $2", .text(secret.name),
                .int8(Int64(secret.number))),
        ]).last
        guard let stored = try stored?.first(Self.secret) else {
            throw PostgresError(.server("40001"), "a secret was removed while it was added")
        }
        return stored
    }

    func remove(name: String, number: UInt32) throws(PostgresError) {
        _ = try database.query("DELETE FROM secrets WHERE name = $1 AND number = $2", .text(name), .int8(Int64(number)))
    }

    func all() throws(PostgresError) -> [WrappedSecret] {
        try database.query("SELECT name, number, wrapped, created_at FROM secrets").all(Self.secret)
    }

    /// Whether there are none because the ledger is meant to be a new one.
    func areDeclaredNew() throws(PostgresError) -> Bool {
        try !database.query("SELECT 1 FROM meta WHERE name = 'declared_new'").isEmpty
    }

    private static func secret(_ row: PostgresRow) throws(PostgresError) -> WrappedSecret {
        guard let number = UInt32(exactly: row.int64(1)) else { throw .damaged("a secret has no 32-bit number") }
        return WrappedSecret(
            name: row.text(0), number: number, wrapped: row.bytes(2), createdAt: Timestamp(unixMilliseconds: row.int64(3)))
    }
}
