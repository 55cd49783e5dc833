import AssayCore

/// Reads a certificate.
enum CertificateRow {
    /// The query without its WHERE clause.
    static let selection = selection(der: "der")

    /// The same query, which gives an empty DER and does not read its pages.
    static let selectionWithoutDER = selection(der: "''::bytea")

    private static func selection(der: String) -> String {
        """
        SELECT issuers.issuer, serial, app, device, key_id, not_before, not_after, issued_at, assurance, protection, platform,
            policy_digest, simulated, revoked_at, reason, \(der), certificates.number,
            (SELECT issuers.issuer FROM certificates AS origin JOIN issuers ON issuers.number = origin.issuer
                WHERE origin.number = certificates.renewed_from),
            (SELECT origin.serial FROM certificates AS origin WHERE origin.number = certificates.renewed_from)
        FROM certificates JOIN issuers ON issuers.number = certificates.issuer
        """
    }

    /// $1 is the issuer, $2 the serial number.
    static let hasName = """
         WHERE certificates.serial = $2 AND certificates.issuer = (SELECT number FROM issuers WHERE issuer = $1)
        """

    /// $1 is the serial number, $2 the app.
    static let hasSerial = " WHERE serial = $1 AND app = $2 ORDER BY certificates.number"

    /// $1 is the key, $2 the app.
    static let hasKey = " WHERE key_id = $1 AND app = $2"

    static func certificate(_ row: PostgresRow) throws(PostgresError) -> DeviceCertificate {
        func level<Level: RawRepresentable>(_ column: Int32) -> Level? where Level.RawValue == UInt8 {
            UInt8(exactly: row.int64(column)).flatMap(Level.init(rawValue:))
        }
        guard let app = AppID(row.text(2)), let device = DeviceID(bytes: row.bytes(3)), let assurance: Assurance = level(8),
            let protection: KeyProtection = level(9)
        else { throw .damaged("the record of a certificate does not decode") }
        return DeviceCertificate(
            name: CertificateName(issuer: row.bytes(0), serial: row.bytes(1)), app: app, device: device, keyID: row.bytes(4),
            notBefore: Timestamp(unixMilliseconds: row.int64(5)), notAfter: Timestamp(unixMilliseconds: row.int64(6)),
            issuedAt: Timestamp(unixMilliseconds: row.int64(7)),
            basis: CertificateBasis(
                assurance: assurance, protection: protection, platform: EvidenceFormat(rawValue: row.text(10)),
                policyDigest: row.bytes(11), simulated: row.bool(12)),
            der: row.bytes(15),
            renewedFrom: row.isNull(18) ? nil : CertificateName(issuer: row.bytes(17), serial: row.bytes(18)),
            revocation: try revocation(row, time: 13, reason: 14))
    }

    /// `nil` if the certificate is not revoked.
    static func revocation(
        _ row: PostgresRow, time: Int32, reason: Int32
    ) throws(PostgresError) -> CertificateRevocation? {
        guard !row.isNull(time) else { return nil }
        guard let reason = UInt8(exactly: row.int64(reason)).flatMap(RevocationReason.init(rawValue:)) else {
            throw .damaged("a certificate was revoked for a reason that does not exist")
        }
        return CertificateRevocation(reason, at: Timestamp(unixMilliseconds: row.int64(time)))
    }

    /// The position of the certificate in listings.
    static func number(_ row: PostgresRow) -> Int64 { row.int64(16) }
    static func isRevoked(_ row: PostgresRow) -> Bool { !row.isNull(13) }
}

/// Reads a page of the certificates of an app, or of one device of it, by an index in the order of issuing.
enum CertificateScan {
    /// The most records that one page reads, so that a rare state in a large app costs many short queries in place of a long one.
    static let lookLimit = 10_000
    /// The records of one query.
    private static let chunk = 1000

    static func page(_ listing: CertificateListing, _ database: Database) throws(PostgresError) -> CertificatePage {
        var certificates: [DeviceCertificate] = []
        var looked = 0
        var hasMore = false
        var last = listing.position
        // Without a condition one record more than the page shows that another page follows.
        let limit = listing.isRevoked == nil ? min(chunk, max(0, listing.limit) + 1) : chunk
        while !hasMore, looked < lookLimit {
            let rows = try self.rows(of: listing, after: last, limit: limit, database)
            try rows.forEach { row throws(PostgresError) in
                guard certificates.count < listing.limit else {
                    hasMore = true
                    return false
                }
                looked += 1
                last = CertificateRow.number(row)
                if listing.isRevoked ?? CertificateRow.isRevoked(row) == CertificateRow.isRevoked(row) {
                    certificates.append(try CertificateRow.certificate(row))
                }
                return true
            }
            guard rows.count >= limit else { break }
        }
        return CertificatePage(certificates: certificates, next: hasMore || looked >= lookLimit ? last : nil)
    }

    private static func rows(
        of listing: CertificateListing, after position: Int64, limit: Int, _ database: Database
    ) throws(PostgresError) -> PostgresRows {
        let (app, from, limit) = (SQLValue.text(listing.app.text), SQLValue.int8(position), SQLValue.int8(Int64(limit)))
        let order = " AND certificates.number > $2 ORDER BY certificates.number LIMIT $3"
        var (conditions, parameters) = (" WHERE app = $1", [app, from, limit])
        if let device = listing.device {
            parameters.append(.bytes(device.bytes))
            conditions += " AND device = $\(parameters.count)"
        }
        if let serial = listing.deviceSerial {
            parameters.append(.bytes(serial))
            conditions += " AND device IN (\(FleetTable.devices(serial: "$\(parameters.count)", app: "$1")))"
        }
        return try database.connection.query(
            SQLStatement(CertificateRow.selection + conditions + order, parameters), within: database.timeout)
    }
}
