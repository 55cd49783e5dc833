import AssayCore

/// The API keys of callers.
final class CallerKeyTable {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) { self.connection = connection }

    // Rare, so the statements are not kept.

    private static let selection =
        "SELECT name, hash, roles, apps, created_at, created_by, expires_at, revoked_at FROM caller_keys"

    func all() throws(SQLiteError) -> [CallerKey] {
        try SQLiteStatement(connection, Self.selection + " ORDER BY number").all(Self.key)
    }

    func key(_ name: String) throws(SQLiteError) -> CallerKey? {
        let select = try SQLiteStatement(connection, Self.selection + " WHERE name = ?1")
        select.bind(1, name)
        return try select.first(Self.key)
    }

    /// False if a key of that name or hash exists, or as many as may be.
    func add(_ key: CallerKey) throws(SQLiteError) -> Bool {
        let known = try SQLiteStatement(
            connection, "SELECT count(*), count(*) FILTER (WHERE name = ?1 OR hash = ?2) FROM caller_keys")
        known.bind(1, key.name)
        known.bind(2, key.hash)
        let isNew = try known.first { $0.int64(0) < CallerKey.limit && $0.int64(1) == 0 } ?? false
        guard isNew else { return false }
        let insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO caller_keys (name, hash, roles, apps, created_at, created_by, expires_at, revoked_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        insert.bind(1, key.name)
        insert.bind(2, key.hash)
        insert.bind(3, key.roles.joined(separator: "\n"))
        insert.bind(4, key.apps.map { $0.map(\.text).joined(separator: "\n") })
        insert.bind(5, key.createdAt.unixMilliseconds)
        insert.bind(6, key.createdBy)
        insert.bind(7, key.expiry.unixMilliseconds)
        insert.bind(8, key.revokedAt?.unixMilliseconds)
        try insert.run()
        return true
    }

    func revoke(_ name: String, at time: Timestamp) throws(SQLiteError) {
        let update = try SQLiteStatement(connection, "UPDATE caller_keys SET revoked_at = ?2 WHERE name = ?1")
        update.bind(1, name)
        update.bind(2, time.unixMilliseconds)
        try update.run()
    }

    private static func key(_ row: SQLiteStatement) throws(SQLiteError) -> CallerKey {
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
