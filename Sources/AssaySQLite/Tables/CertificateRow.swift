import AssayCore

/// Reads a certificate.
enum CertificateRow {
    /// The query without its WHERE clause. CROSS JOIN fixes the order: a certificate is found first, then its issuer.
    static let selection = selection(der: "der")

    /// The same query, which gives an empty DER and does not read its pages.
    static let selectionWithoutDER = selection(der: "x''")

    private static func selection(der: String) -> String {
        """
        SELECT issuers.issuer, serial, app, device, key_id, not_before, not_after, issued_at, assurance, protection, platform,
            policy_digest, simulated, revoked_at, reason, \(der), certificates.number,
            (SELECT issuers.issuer FROM certificates AS origin CROSS JOIN issuers ON issuers.number = origin.issuer
                WHERE origin.number = certificates.renewed_from),
            (SELECT origin.serial FROM certificates AS origin WHERE origin.number = certificates.renewed_from)
        FROM certificates CROSS JOIN issuers ON issuers.number = certificates.issuer
        """
    }

    /// ?1 is the issuer, ?2 the serial number.
    static let hasName = """
         WHERE certificates.serial = ?2 AND certificates.issuer = (SELECT number FROM issuers WHERE issuer = ?1)
        """

    /// ?1 is the serial number, ?2 the app. The unary plus keeps SQLite from reading all certificates of the app.
    static let hasSerial = " WHERE serial = ?1 AND +app = ?2 ORDER BY certificates.number"

    /// ?1 is the key, ?2 the app.
    static let hasKey = " WHERE key_id = ?1 AND app = ?2"

    /// ?1 is the number of the certificate that they were renewed from. A certificate is issued after that one: a damaged file leads
    /// no search in a circle.
    static let wasRenewed = " WHERE renewed_from = ?1 AND certificates.number > ?1 ORDER BY certificates.number"

    static func certificate(_ row: SQLiteStatement) throws(SQLiteError) -> DeviceCertificate {
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
                policyDigest: row.bytes(11), simulated: row.int64(12) != 0),
            der: row.bytes(15),
            renewedFrom: row.isNull(18) ? nil : CertificateName(issuer: row.bytes(17), serial: row.bytes(18)),
            revocation: try revocation(row, time: 13, reason: 14))
    }

    /// `nil` if the certificate is not revoked.
    static func revocation(
        _ row: SQLiteStatement, time: Int32, reason: Int32
    ) throws(SQLiteError) -> CertificateRevocation? {
        guard !row.isNull(time) else { return nil }
        guard let reason = UInt8(exactly: row.int64(reason)).flatMap(RevocationReason.init(rawValue:)) else {
            throw .damaged("a certificate was revoked for a reason that does not exist")
        }
        return CertificateRevocation(reason, at: Timestamp(unixMilliseconds: row.int64(time)))
    }

    /// The position of the certificate in listings.
    static func number(_ row: SQLiteStatement) -> Int64 { row.int64(16) }
    static func isRevoked(_ row: SQLiteStatement) -> Bool { !row.isNull(13) }
}

/// Reads a page of the certificates of an app, or of one device of it, by an index in the order of issuing.
enum CertificateScan {
    /// The most records that one page reads, so that a rare state in a large app costs many short queries in place of a long one.
    static let lookLimit = 10_000

    /// The unary plus keeps SQLite from intersecting the device's index with the app's.
    static func selection(ofDevice: Bool, ofSerial: Bool = false) -> String {
        let conditions = (ofDevice ? ["device = ?4"] : []) + (ofSerial ? ["device IN (\(FleetTable.devices))"] : [])
        return CertificateRow.selection
            + (conditions.isEmpty ? " WHERE app = ?1" : " WHERE \(conditions.joined(separator: " AND ")) AND +app = ?1")
            + " AND certificates.number > ?2 ORDER BY certificates.number LIMIT ?3"
    }

    static func page(
        _ listing: CertificateListing, lookLimit: Int = lookLimit, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> CertificatePage {
        // Rare, so the statement is not kept.
        let scan = try SQLiteStatement(
            connection, selection(ofDevice: listing.device != nil, ofSerial: listing.deviceSerial != nil))
        scan.bind(1, listing.app.text)
        scan.bind(2, listing.position)
        scan.bind(3, Int64(lookLimit))
        if let device = listing.device { scan.bind(4, device.bytes) }
        if let serial = listing.deviceSerial { scan.bind(5, serial) }
        var certificates: [DeviceCertificate] = []
        var looked = 0
        var hasMore = false
        var last = listing.position
        try scan.forEach { row throws(SQLiteError) in
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
        return CertificatePage(certificates: certificates, next: hasMore || looked >= lookLimit ? last : nil)
    }
}
