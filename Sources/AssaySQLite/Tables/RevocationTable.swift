import AssayCore

/// Reads what revocation lists are made of, and keeps the last list of each CA.
struct RevocationTable {
    let connection: SQLiteConnection

    /// Without leading zeros a longer serial number is a greater one.
    static let revoked = """
        SELECT serial, revoked_at, reason FROM certificates
        WHERE issuer = (SELECT number FROM issuers WHERE issuer = ?1) AND revoked_at IS NOT NULL AND not_after >= ?2
        ORDER BY length(serial), serial
        """
    static let issuer = "SELECT revocations, last_expiry FROM issuers WHERE issuer = ?1"
    static let list = """
        SELECT number, this_update, next_update, revocation_count, der FROM revocation_lists WHERE issuer = ?1
        """

    // Rare, so the statements are not kept.

    func revocations(of issuer: [UInt8], validAt time: Timestamp) throws(SQLiteError) -> [RevokedCertificate] {
        let select = try SQLiteStatement(connection, Self.revoked)
        select.bind(1, issuer)
        select.bind(2, time.unixMilliseconds)
        return try select.all { row throws(SQLiteError) in
            guard let revocation = try CertificateRow.revocation(row, time: 1, reason: 2) else {
                throw .damaged("a revoked certificate is not revoked")
            }
            return RevokedCertificate(serial: row.bytes(0), revocation: revocation)
        }
    }

    func counts(of issuer: [UInt8]) throws(SQLiteError) -> (revocations: Int64, lastExpiry: Timestamp)? {
        let select = try SQLiteStatement(connection, Self.issuer)
        select.bind(1, issuer)
        return try select.first { ($0.int64(0), Timestamp(unixMilliseconds: $0.int64(1))) }
    }

    func list(of issuer: [UInt8]) throws(SQLiteError) -> StoredRevocationList? {
        let select = try SQLiteStatement(connection, Self.list)
        select.bind(1, issuer)
        return try select.first { row in
            StoredRevocationList(
                issuer: issuer, number: row.int64(0), thisUpdate: Timestamp(unixMilliseconds: row.int64(1)),
                nextUpdate: Timestamp(unixMilliseconds: row.int64(2)), revocationCount: row.int64(3), der: row.bytes(4))
        }
    }

    /// Keeps a list unless its number is not greater than that of the kept one. True if it was kept.
    func keep(_ list: StoredRevocationList) throws(SQLiteError) -> Bool {
        let insert = try SQLiteStatement(
            connection,
            """
            INSERT INTO revocation_lists VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (issuer) DO UPDATE SET
                number = excluded.number, this_update = excluded.this_update, next_update = excluded.next_update,
                revocation_count = excluded.revocation_count, der = excluded.der
            WHERE excluded.number > number
            """)
        insert.bind(1, list.issuer)
        insert.bind(2, list.number)
        insert.bind(3, list.thisUpdate.unixMilliseconds)
        insert.bind(4, list.nextUpdate.unixMilliseconds)
        insert.bind(5, list.revocationCount)
        insert.bind(6, list.der)
        try insert.run()
        return connection.changes == 1
    }

    /// Notes that the kept lists are not given out any more.
    func passLists() throws(SQLiteError) {
        try connection.execute("UPDATE revocation_lists SET revocation_count = \(StoredRevocationList.passed)")
    }
}
