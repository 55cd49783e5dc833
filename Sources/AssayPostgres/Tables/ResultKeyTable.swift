import AssayCore

/// The public keys under which results are signed.
struct ResultKeyTable {
    let database: Database

    private static let selection = "SELECT identifier, issuer, public_key, published_at, signs_from FROM result_keys"

    func all() throws(PostgresError) -> [PublishedResultKey] {
        try database.query(Self.selection + " ORDER BY number").all(Self.key)
    }

    /// The key with an identifier, which no other transaction changes before this one ends.
    func locked(_ identifier: [UInt8]) throws(PostgresError) -> PublishedResultKey? {
        try database.query(Self.selection + " WHERE identifier = $1 FOR UPDATE", .bytes(identifier)).first(Self.key)
    }

    /// All keys. Until the transaction ends no other one adds a key: of first keys of an issuer one is the first.
    func allToAdd() throws(PostgresError) -> [PublishedResultKey] {
        let known = try database.run([
            SQLStatement("SELECT 1 FROM meta WHERE name = 'result_keys' FOR UPDATE"),
            SQLStatement(Self.selection + " ORDER BY number"),
        ]).last
        return try known?.all(Self.key) ?? []
    }

    func add(_ keys: [PublishedResultKey]) throws(PostgresError) {
        _ = try database.run(
            keys.map { published in
                SQLStatement(
                    """
                    INSERT INTO result_keys (identifier, issuer, public_key, published_at, signs_from)
                    VALUES ($1, $2, $3, $4, $5)
                    """,
                    .bytes(published.key.identifier), .int8(Int64(published.key.issuer.rawValue)),
                    .bytes(published.key.publicKey), .int8(published.publishedAt.unixMilliseconds),
                    .int8(published.signsFrom?.unixMilliseconds))
            })
    }

    func setSigning(_ identifier: [UInt8], from time: Timestamp) throws(PostgresError) {
        _ = try database.query(
            "UPDATE result_keys SET signs_from = $2 WHERE identifier = $1", .bytes(identifier), .int8(time.unixMilliseconds))
    }

    private static func key(_ row: PostgresRow) throws(PostgresError) -> PublishedResultKey {
        guard let issuer = UInt8(exactly: row.int64(1)).flatMap(ResultPublicKey.Issuer.init(rawValue:)) else {
            throw .damaged("a key of signed results is of no issuer")
        }
        return PublishedResultKey(
            ResultPublicKey(identifier: row.bytes(0), issuer: issuer, publicKey: row.bytes(2)),
            publishedAt: Timestamp(unixMilliseconds: row.int64(3)),
            signsFrom: row.isNull(4) ? nil : Timestamp(unixMilliseconds: row.int64(4)))
    }
}
