import AssayCore

/// Looks up and revokes certificates. A certificate is never removed.
struct CertificateTable {
    let database: Database

    static func certificate(_ name: CertificateName) -> Lookup<DeviceCertificate?> {
        let statement = SQLStatement(byName, .bytes(name.issuer), .bytes(name.serial))
        return Lookup(statement) { rows throws(PostgresError) in try rows.first(CertificateRow.certificate) }
    }

    static func certificate(_ key: DeviceKey) -> Lookup<DeviceCertificate?> {
        let statement = SQLStatement(byKey, .bytes(key.keyID), .text(key.app.text))
        return Lookup(statement) { rows throws(PostgresError) in try rows.first(CertificateRow.certificate) }
    }

    private static let byName = CertificateRow.selection + CertificateRow.hasName
    private static let byKey = CertificateRow.selection + CertificateRow.hasKey

    func certificates(serial: [UInt8], app: AppID) throws(PostgresError) -> [DeviceCertificate] {
        try database.query(CertificateRow.selection + CertificateRow.hasSerial, .bytes(serial), .text(app.text))
            .all(CertificateRow.certificate)
    }

    // MARK: Adding

    /// Adds a certificate that nothing speaks against. Its issuer and the one that it was renewed from are found by their names, so that
    /// they can be of the same trip.
    static func insertion(of certificate: DeviceCertificate) -> [SQLStatement] {
        let issuer = SQLStatement(
            """
            INSERT INTO issuers AS i (issuer, revocations, last_expiry) VALUES ($1, $2, $3)
            ON CONFLICT (issuer) DO UPDATE SET
                revocations = i.revocations + excluded.revocations, last_expiry = greatest(i.last_expiry, excluded.last_expiry)
            """,
            .bytes(certificate.name.issuer), .int8(certificate.revocation == nil ? 0 : 1),
            .int8(certificate.notAfter.unixMilliseconds))
        let insert = SQLStatement(
            """
            INSERT INTO certificates (issuer, serial, app, device, key_id, not_before, not_after, issued_at, assurance, protection,
                platform, policy_digest, simulated, revoked_at, reason, der, renewed_from)
            SELECT number, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                (SELECT c.number FROM certificates c JOIN issuers i ON i.number = c.issuer WHERE i.issuer = $17 AND c.serial = $18)
            FROM issuers WHERE issuer = $1
            RETURNING number
            """,
            [
                .bytes(certificate.name.issuer), .bytes(certificate.name.serial), .text(certificate.app.text),
                .bytes(certificate.device.bytes), .bytes(certificate.keyID), .int8(certificate.notBefore.unixMilliseconds),
                .int8(certificate.notAfter.unixMilliseconds), .int8(certificate.issuedAt.unixMilliseconds),
                .int8(Int64(certificate.basis.assurance.rawValue)), .int8(Int64(certificate.basis.protection.rawValue)),
                .text(certificate.basis.platform.rawValue), .bytes(certificate.basis.policyDigest),
                .bool(certificate.basis.simulated), .int8(certificate.revocation?.time.unixMilliseconds),
                .int8(certificate.revocation.map { Int64($0.reason.rawValue) }), .bytes(certificate.der),
                .bytes(certificate.renewedFrom?.issuer), .bytes(certificate.renewedFrom?.serial),
            ])
        return [issuer, insert]
    }

    /// The certificates of each of the devices, by their state.
    func counts(of devices: [DeviceID], at time: Timestamp) throws(PostgresError) -> [DeviceID: CertificateCounts] {
        let rows = try database.query(
            """
            SELECT device, count(*) FILTER (WHERE revoked_at IS NULL AND not_after >= $2),
                count(*) FILTER (WHERE revoked_at IS NOT NULL),
                count(*) FILTER (WHERE revoked_at IS NULL AND not_after < $2)
            FROM certificates WHERE device = ANY ($1::bytea[]) GROUP BY device
            """, .bytesList(devices.map(\.bytes)), .int8(time.unixMilliseconds))
        var counts: [DeviceID: CertificateCounts] = [:]
        try rows.forEach { row throws(PostgresError) in
            guard let device = DeviceID(bytes: row.bytes(0)) else {
                throw .damaged("the record of a certificate does not decode")
            }
            counts[device] = CertificateCounts(
                good: Int(row.int64(1)), revoked: Int(row.int64(2)), expired: Int(row.int64(3)))
            return true
        }
        return counts
    }

    // MARK: Revocation

    /// Locks the certificates that are selected, so that no entry that rests on them, and no renewal, is committed before this
    /// transaction ends. FOR NO KEY UPDATE conflicts with the lock of commits.
    private func locked(_ condition: String, _ parameters: SQLValue...) throws(PostgresError) -> [Int64] {
        let lock = "SELECT number FROM certificates WHERE \(condition) ORDER BY number FOR NO KEY UPDATE"
        return try database.run([SQLStatement(lock, parameters)]).first?.all { $0.int64(0) } ?? []
    }

    /// The certificates with numbers, without their DER, in the order in which they were issued.
    private func certificates(_ numbers: [Int64]) throws(PostgresError) -> [DeviceCertificate] {
        try database.query(
            CertificateRow.selectionWithoutDER + " WHERE certificates.number = ANY ($1::bigint[]) ORDER BY certificates.number",
            .int8s(numbers)
        ).all(CertificateRow.certificate)
    }

    /// Locks a certificate and returns its number; `nil` if it is not on record.
    func lock(_ name: CertificateName) throws(PostgresError) -> Int64? {
        try locked(
            "serial = $2 AND issuer = (SELECT number FROM issuers WHERE issuer = $1)", .bytes(name.issuer), .bytes(name.serial)
        ).first
    }

    /// The certificate of a key that is not revoked, and those that descend from it and are not, without their DER. All are locked.
    func unrevoked(ofCertified key: DeviceKey) throws(PostgresError) -> [DeviceCertificate] {
        guard let number = try locked("key_id = $1 AND app = $2", .bytes(key.keyID), .text(key.app.text)).first else {
            return []
        }
        return try certificates([number]).filter { $0.revocation == nil } + descendants(of: number, limit: .max).certificates
    }

    /// The certificates that descend from one and are not revoked, without their DER: at most `limit`, in the order that
    /// `CertificateRegistry.revoke` documents, and whether there are more. All are locked. A certificate is issued after the one that it
    /// was renewed from: damaged records lead no search in a circle.
    func descendants(
        of number: Int64, limit: Int
    ) throws(PostgresError) -> (certificates: [DeviceCertificate], hasMore: Bool) {
        var (found, generation): ([DeviceCertificate], [Int64]) = ([], [number])
        while !generation.isEmpty {
            generation = try locked("renewed_from = ANY ($1::bigint[]) AND number > renewed_from", .int8s(generation))
            guard !generation.isEmpty else { break }
            found += try certificates(generation).filter { $0.revocation == nil }
            if found.count > limit { return (Array(found.prefix(limit)), true) }
        }
        return (found, false)
    }

    /// The certificates of all registered devices of a target, or of a forgotten device, that are not revoked, in the order in which
    /// they were issued, without their DER. All are locked.
    func unrevoked(of target: BlockTarget) throws(PostgresError) -> [DeviceCertificate] {
        let numbers =
            switch target {
            case .device(let id): try locked("device = $1 AND revoked_at IS NULL", .bytes(id.bytes))
            case .subject(let hash, let app):
                try locked(
                    "device IN (SELECT id FROM devices WHERE subject = $1 AND app = $2) AND revoked_at IS NULL", .bytes(hash),
                    .text(app.text))
            case .key(let key):
                try locked(
                    "device IN (SELECT device FROM device_keys WHERE key_id = $1 AND app = $2) AND revoked_at IS NULL",
                    .bytes(key.keyID), .text(key.app.text))
            }
        return numbers.isEmpty ? [] : try certificates(numbers)
    }

    /// Revokes certificates that are locked and not revoked.
    func revoke(_ some: [DeviceCertificate], _ revocation: CertificateRevocation) throws(PostgresError) {
        guard !some.isEmpty else { return }
        var counts: [[UInt8]: Int64] = [:]
        for certificate in some { counts[certificate.name.issuer, default: 0] += 1 }
        let issuers = counts.keys.sorted { $0.lexicographicallyPrecedes($1) }
        _ = try database.run(
            [
                SQLStatement(
                    """
                    UPDATE certificates c SET revoked_at = $3, reason = $4
                    FROM unnest($1::bytea[], $2::bytea[]) AS e(i, s) JOIN issuers i ON i.issuer = e.i
                    WHERE c.issuer = i.number AND c.serial = e.s
                    """,
                    .bytesList(some.map(\.name.issuer)), .bytesList(some.map(\.name.serial)),
                    .int8(revocation.time.unixMilliseconds), .int8(Int64(revocation.reason.rawValue)))
            ]
                + issuers.map { issuer in
                    SQLStatement(
                        "UPDATE issuers SET revocations = revocations + $2 WHERE issuer = $1", .bytes(issuer),
                        .int8(counts[issuer]))
                })
    }

    /// Removes the DER of a device's certificates.
    static func erasure(of device: DeviceID) -> SQLStatement {
        SQLStatement("UPDATE certificates SET der = ''::bytea WHERE device = $1", .bytes(device.bytes))
    }
}

/// Reads what revocation lists are made of, and keeps the last list of each CA.
struct RevocationTable {
    let database: Database

    /// Without leading zeros a longer serial number is a greater one.
    func revocations(of issuer: [UInt8], validAt time: Timestamp) throws(PostgresError) -> [RevokedCertificate] {
        try database.query(
            """
            SELECT serial, revoked_at, reason FROM certificates
            WHERE issuer = (SELECT number FROM issuers WHERE issuer = $1) AND revoked_at IS NOT NULL AND not_after >= $2
            ORDER BY length(serial), serial
            """, .bytes(issuer), .int8(time.unixMilliseconds)
        ).all { row throws(PostgresError) in
            guard let revocation = try CertificateRow.revocation(row, time: 1, reason: 2) else {
                throw .damaged("a revoked certificate is not revoked")
            }
            return RevokedCertificate(serial: row.bytes(0), revocation: revocation)
        }
    }

    func counts(of issuer: [UInt8]) throws(PostgresError) -> (revocations: Int64, lastExpiry: Timestamp)? {
        try database.query("SELECT revocations, last_expiry FROM issuers WHERE issuer = $1", .bytes(issuer))
            .first { ($0.int64(0), Timestamp(unixMilliseconds: $0.int64(1))) }
    }

    func list(of issuer: [UInt8]) throws(PostgresError) -> StoredRevocationList? {
        try database.query(
            "SELECT number, this_update, next_update, revocation_count, der FROM revocation_lists WHERE issuer = $1",
            .bytes(issuer)
        ).first { row in
            StoredRevocationList(
                issuer: issuer, number: row.int64(0), thisUpdate: Timestamp(unixMilliseconds: row.int64(1)),
                nextUpdate: Timestamp(unixMilliseconds: row.int64(2)), revocationCount: row.int64(3), der: row.bytes(4))
        }
    }

    /// Keeps a list unless its number is not greater than that of the kept one. True if it was kept.
    func keep(_ list: StoredRevocationList) throws(PostgresError) -> Bool {
        try database.query(
            """
            INSERT INTO revocation_lists AS kept VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (issuer) DO UPDATE SET
                number = excluded.number, this_update = excluded.this_update, next_update = excluded.next_update,
                revocation_count = excluded.revocation_count, der = excluded.der
            WHERE excluded.number > kept.number
            """,
            .bytes(list.issuer), .int8(list.number), .int8(list.thisUpdate.unixMilliseconds),
            .int8(list.nextUpdate.unixMilliseconds), .int8(list.revocationCount), .bytes(list.der)
        ).affected == 1
    }

    /// Notes that the kept lists are not given out any more.
    func passLists() throws(PostgresError) {
        _ = try database.query("UPDATE revocation_lists SET revocation_count = $1", .int8(StoredRevocationList.passed))
    }
}
