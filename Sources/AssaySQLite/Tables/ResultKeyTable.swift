import AssayCore

/// The public keys under which results are signed. Rare, so the statements are not kept.
struct ResultKeyTable {
    let connection: SQLiteConnection

    private static let selection =
        "SELECT identifier, issuer, public_key, published_at, signs_from FROM result_keys"

    func all() throws(SQLiteError) -> [PublishedResultKey] {
        try SQLiteStatement(connection, Self.selection + " ORDER BY number").all(Self.key)
    }

    func key(_ identifier: [UInt8]) throws(SQLiteError) -> PublishedResultKey? {
        let select = try SQLiteStatement(connection, Self.selection + " WHERE identifier = ?1")
        select.bind(1, identifier)
        return try select.first(Self.key)
    }

    /// Adds a key, which signs at once if it is the first of its issuer. `nil` if one of that identifier is on record.
    func add(_ key: ResultPublicKey, at time: Timestamp) throws(SQLiteError) -> PublishedResultKey? {
        let insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO result_keys (identifier, issuer, public_key, published_at, signs_from)
            SELECT ?1, ?2, ?3, ?4, iif(EXISTS (SELECT 1 FROM result_keys WHERE issuer = ?2), NULL, ?4) WHERE true
            ON CONFLICT DO NOTHING RETURNING identifier, issuer, public_key, published_at, signs_from
            """)
        insert.bind(1, key.identifier)
        insert.bind(2, Int64(key.issuer.rawValue))
        insert.bind(3, key.publicKey)
        insert.bind(4, time.unixMilliseconds)
        return try insert.first(Self.key)
    }

    func setSigning(_ identifier: [UInt8], from time: Timestamp) throws(SQLiteError) {
        let update = try SQLiteStatement(connection, "UPDATE result_keys SET signs_from = ?2 WHERE identifier = ?1")
        update.bind(1, identifier)
        update.bind(2, time.unixMilliseconds)
        try update.run()
    }

    private static func key(_ row: SQLiteStatement) throws(SQLiteError) -> PublishedResultKey {
        guard let issuer = UInt8(exactly: row.int64(1)).flatMap(ResultPublicKey.Issuer.init(rawValue:)) else {
            throw .damaged("a key of signed results is of no issuer")
        }
        return PublishedResultKey(
            ResultPublicKey(identifier: row.bytes(0), issuer: issuer, publicKey: row.bytes(2)),
            publishedAt: Timestamp(unixMilliseconds: row.int64(3)),
            signsFrom: row.isNull(4) ? nil : Timestamp(unixMilliseconds: row.int64(4)))
    }
}
