import AssayCore

/// The API keys of callers.
struct CallerKeyTable {
    let database: Database

    private static let selection =
        "SELECT name, hash, roles, apps, created_at, created_by, expires_at, revoked_at FROM caller_keys"

    func all() throws(PostgresError) -> [CallerKey] {
        try database.query(Self.selection + " ORDER BY number").all(Self.key)
    }

    /// The key with a name, which no other transaction changes before this one ends.
    func locked(_ name: String) throws(PostgresError) -> CallerKey? {
        try database.query(Self.selection + " WHERE name = $1 FOR UPDATE", .text(name)).first(Self.key)
    }

    /// False if a key of that name or hash exists, or as many as may be. Keys are added one at a time, so that they can be counted.
    func add(_ key: CallerKey) throws(PostgresError) -> Bool {
        let known = try database.run([
            SQLStatement("SELECT 1 FROM meta WHERE name = 'caller_keys' FOR UPDATE"),
            SQLStatement(
                "SELECT count(*), count(*) FILTER (WHERE name = $1 OR hash = $2) FROM caller_keys", .text(key.name),
                .bytes(key.hash)),
        ]).last
        guard try known?.first({ $0.int64(0) < CallerKey.limit && $0.int64(1) == 0 }) == true else { return false }
        _ = try database.query(
            """
            INSERT INTO caller_keys (name, hash, roles, apps, created_at, created_by, expires_at, revoked_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            .text(key.name), .bytes(key.hash), .text(key.roles.joined(separator: "\n")),
            .text(key.apps.map { $0.map(\.text).joined(separator: "\n") }), .int8(key.createdAt.unixMilliseconds),
            .text(key.createdBy), .int8(key.expiry.unixMilliseconds), .int8(key.revokedAt?.unixMilliseconds))
        return true
    }

    func revoke(_ name: String, at time: Timestamp) throws(PostgresError) {
        _ = try database.query(
            "UPDATE caller_keys SET revoked_at = $2 WHERE name = $1", .text(name), .int8(time.unixMilliseconds))
    }

    private static func key(_ row: PostgresRow) throws(PostgresError) -> CallerKey {
        let hash = row.bytes(1)
        let apps = row.isNull(3) ? nil : row.text(3).split(separator: "\n").map { AppID(String($0)) }
        guard hash.count == 32, apps?.contains(nil) != true else { throw .damaged("an API key does not decode") }
        return CallerKey(
            name: row.text(0), hash: hash, roles: row.text(2).split(separator: "\n").map(String.init),
            apps: apps?.compactMap(\.self), createdAt: Timestamp(unixMilliseconds: row.int64(4)), createdBy: row.text(5),
            expiry: Timestamp(unixMilliseconds: row.int64(6)),
            revokedAt: row.isNull(7) ? nil : Timestamp(unixMilliseconds: row.int64(7)))
    }
}
