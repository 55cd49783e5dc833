import AssayCore

/// The wrapped secrets, by name and number.
final class SecretTable {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) { self.connection = connection }

    // Rare, so the statements are not kept.

    /// Adds a secret unless one of its name and number exists, and returns the stored one.
    func add(_ secret: WrappedSecret) throws(SQLiteError) -> WrappedSecret {
        let insert = try SQLiteStatement(connection, "INSERT INTO secrets VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING")
        insert.bind(1, secret.name)
        insert.bind(2, Int64(secret.number))
        insert.bind(3, secret.wrapped)
        insert.bind(4, secret.createdAt.unixMilliseconds)
        try insert.run()
        let stored = try all().first { $0.name == secret.name && $0.number == secret.number }
        guard let stored else { throw .damaged("a secret that was added is not there") }
        return stored
    }

    func remove(name: String, number: UInt32) throws(SQLiteError) {
        let delete = try SQLiteStatement(connection, "DELETE FROM secrets WHERE name = ?1 AND number = ?2")
        delete.bind(1, name)
        delete.bind(2, Int64(number))
        try delete.run()
    }

    func all() throws(SQLiteError) -> [WrappedSecret] {
        try SQLiteStatement(connection, "SELECT name, number, wrapped, created_at FROM secrets")
            .all { row throws(SQLiteError) in
                guard let number = UInt32(exactly: row.int64(1)) else { throw .damaged("a secret has no 32-bit number") }
                return WrappedSecret(
                    name: row.text(0), number: number, wrapped: row.bytes(2),
                    createdAt: Timestamp(unixMilliseconds: row.int64(3)))
            }
    }
}
