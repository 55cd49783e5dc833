import AssayCore

/// Adds, looks up and revokes certificates. A certificate is never removed.
///
/// It remembers the ends of certificates on which evidence rested and which are not revoked, so that most commits check theirs without a query.
/// A revocation removes them within its transaction; after a transaction that failed, and after another process wrote,
/// ``start(forgetting:)`` forgets all.
final class CertificateTable {
    /// The most certificates that are remembered, of some 200 bytes each. Beyond it all are forgotten.
    static let memoryLimit = 16_384

    /// The certificates of so many devices, by their state. ?1 is the time, the devices follow.
    static func counting(_ devices: Int) -> String {
        """
        SELECT device, sum(revoked_at IS NULL AND not_after >= ?1), sum(revoked_at IS NOT NULL),
            sum(revoked_at IS NULL AND not_after < ?1)
        FROM certificates WHERE device IN (\((2..<devices + 2).map { "?\($0)" }.joined(separator: ", "))) GROUP BY device
        """
    }

    private let connection: SQLiteConnection
    private let state: SQLiteStatement
    private let byName: SQLiteStatement
    private let byKey: SQLiteStatement
    private let countIssuer: SQLiteStatement
    private let insert: SQLiteStatement
    /// The last instants of certificates that are not revoked.
    private var ends: [CertificateName: Timestamp] = [:]
    /// The certificates that the transaction revoked.
    private(set) var revoked: [CertificateName] = []

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        state = try SQLiteStatement(connection, Self.state)
        byName = try SQLiteStatement(connection, CertificateRow.selection + CertificateRow.hasName)
        byKey = try SQLiteStatement(connection, Self.certifiedKey)
        countIssuer = try SQLiteStatement(connection, Self.issuer)
        insert = try SQLiteStatement(connection, Self.insertion)
    }

    // MARK: Statements

    /// What commits check of a certificate that evidence rests on.
    static let state = "SELECT not_after, revoked_at, number FROM certificates" + CertificateRow.hasName
    static let certifiedKey = "SELECT number FROM certificates WHERE key_id = ?1 AND app = ?2"
    static let issuer = """
        INSERT INTO issuers (issuer, revocations, last_expiry) VALUES (?1, ?2, ?3)
        ON CONFLICT (issuer) DO UPDATE SET
            revocations = revocations + excluded.revocations, last_expiry = max(last_expiry, excluded.last_expiry)
        RETURNING number
        """
    static let insertion = """
        INSERT INTO certificates (issuer, serial, app, device, key_id, not_before, not_after, issued_at, assurance, protection,
            platform, policy_digest, simulated, revoked_at, reason, der, renewed_from)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
        """
    static let revocation = "UPDATE certificates SET revoked_at = ?3, reason = ?4" + CertificateRow.hasName
    static let erasure = "UPDATE certificates SET der = x'' WHERE device = ?1"

    // MARK: Commits

    /// Begins a transaction.
    ///
    /// - Parameter forgetting: whether the file may have changed otherwise than by the transactions before.
    func start(forgetting: Bool) {
        revoked.removeAll(keepingCapacity: true)
        if forgetting { ends.removeAll(keepingCapacity: true) }
    }

    /// Why evidence cannot rest on a certificate at `time`; `nil` if it can.
    func objection(to name: CertificateName, at time: Timestamp) throws(SQLiteError) -> ReasonCode? {
        if let end = ends[name] { return time <= end ? nil : .expired }
        state.bind(1, name.issuer)
        state.bind(2, name.serial)
        let found = try state.first { (notAfter: Timestamp(unixMilliseconds: $0.int64(0)), isRevoked: !$0.isNull(1)) }
        guard let found else { return .unknownCertificate }
        guard !found.isRevoked else { return .revoked }
        if ends.count >= Self.memoryLimit { ends.removeAll(keepingCapacity: true) }
        ends[name] = found.notAfter
        return time <= found.notAfter ? nil : .expired
    }

    /// Why a certificate cannot be added; `nil` if it can.
    func objection(toAdding certificate: DeviceCertificate) throws(SQLiteError) -> ReasonCode? {
        byKey.bind(1, certificate.keyID)
        byKey.bind(2, certificate.app.text)
        guard try !byKey.exists() else { return .keyAlreadyCertified }
        guard try number(of: certificate.name) == nil else { return .certificateSerialTaken }
        guard let origin = certificate.renewedFrom else { return nil }
        return try number(of: origin) == nil ? .unknownCertificate : nil
    }

    /// The number of a certificate; `nil` if it is not on record.
    func number(of name: CertificateName) throws(SQLiteError) -> Int64? {
        state.bind(1, name.issuer)
        state.bind(2, name.serial)
        return try state.first { $0.int64(2) }
    }

    /// Adds a certificate that nothing speaks against, and returns its number.
    func add(_ certificate: DeviceCertificate) throws(SQLiteError) -> Int64 {
        countIssuer.bind(1, certificate.name.issuer)
        countIssuer.bind(2, certificate.revocation == nil ? 0 : 1)
        countIssuer.bind(3, certificate.notAfter.unixMilliseconds)
        // Run to its end: a statement that is reset before that is not complete.
        guard let issuer = try countIssuer.all({ $0.int64(0) }).first else { throw .damaged("an issuer has no number") }
        var origin: Int64?
        if let name = certificate.renewedFrom { origin = try number(of: name) }
        insert.bind(1, issuer)
        insert.bind(2, certificate.name.serial)
        insert.bind(3, certificate.app.text)
        insert.bind(4, certificate.device.bytes)
        insert.bind(5, certificate.keyID)
        insert.bind(6, certificate.notBefore.unixMilliseconds)
        insert.bind(7, certificate.notAfter.unixMilliseconds)
        insert.bind(8, certificate.issuedAt.unixMilliseconds)
        insert.bind(9, Int64(certificate.basis.assurance.rawValue))
        insert.bind(10, Int64(certificate.basis.protection.rawValue))
        insert.bind(11, certificate.basis.platform.rawValue)
        insert.bind(12, certificate.basis.policyDigest)
        insert.bind(13, certificate.basis.simulated ? 1 : 0)
        insert.bind(14, certificate.revocation?.time.unixMilliseconds)
        insert.bind(15, certificate.revocation.map { Int64($0.reason.rawValue) })
        insert.bind(16, certificate.der)
        insert.bind(17, origin)
        try insert.run()
        return connection.lastInsertedRow
    }

    // MARK: Revocation

    /// The certificate of a key that is not revoked, and those that descend from it and are not, without their DER.
    func unrevoked(ofCertified key: DeviceKey) throws(SQLiteError) -> [DeviceCertificate] {
        let select = try SQLiteStatement(connection, CertificateRow.selectionWithoutDER + CertificateRow.hasKey)
        select.bind(1, key.keyID)
        select.bind(2, key.app.text)
        guard let certificate = try select.first(CertificateRow.certificate) else { return [] }
        let renewed = try descendants(of: certificate.name, limit: .max).certificates
        return (certificate.revocation == nil ? [certificate] : []) + renewed
    }

    func certificate(_ name: CertificateName) throws(SQLiteError) -> DeviceCertificate? {
        byName.bind(1, name.issuer)
        byName.bind(2, name.serial)
        return try byName.first(CertificateRow.certificate)
    }

    /// The certificates that descend from one and are not revoked, without their DER: at most `limit`, in the order that
    /// `CertificateRegistry.revoke` documents, and whether there are more. Reads the records of all that descend from it, which are
    /// certificates of one device.
    func descendants(
        of name: CertificateName, limit: Int
    ) throws(SQLiteError) -> (certificates: [DeviceCertificate], hasMore: Bool) {
        guard let number = try number(of: name) else { return ([], false) }
        let select = try SQLiteStatement(connection, CertificateRow.selectionWithoutDER + CertificateRow.wasRenewed)
        var (found, generation): ([DeviceCertificate], [Int64]) = ([], [number])
        while !generation.isEmpty {
            var renewed: [(number: Int64, certificate: DeviceCertificate)] = []
            for origin in generation {
                select.bind(1, origin)
                renewed += try select.all { row throws(SQLiteError) in
                    (CertificateRow.number(row), try CertificateRow.certificate(row))
                }
            }
            renewed.sort { $0.number < $1.number }
            found += renewed.lazy.map(\.certificate).filter { $0.revocation == nil }
            if found.count > limit { return (Array(found.prefix(limit)), true) }
            generation = renewed.map(\.number)
        }
        return (found, false)
    }

    /// Revokes certificates that are not revoked.
    func revoke(_ some: [DeviceCertificate], _ revocation: CertificateRevocation) throws(SQLiteError) {
        guard !some.isEmpty else { return }
        let update = try SQLiteStatement(connection, Self.revocation)
        let count = try SQLiteStatement(connection, "UPDATE issuers SET revocations = revocations + 1 WHERE issuer = ?1")
        // SQLite writes the whole row again. Without it, the pages of the old one keep the DER, which `eraseDER` would not reach.
        try connection.overwritingDeleted { () throws(SQLiteError) in
            for certificate in some {
                ends[certificate.name] = nil
                revoked.append(certificate.name)
                update.bind(1, certificate.name.issuer)
                update.bind(2, certificate.name.serial)
                update.bind(3, revocation.time.unixMilliseconds)
                update.bind(4, Int64(revocation.reason.rawValue))
                try update.run()
                count.bind(1, certificate.name.issuer)
                try count.run()
            }
        }
    }

    /// The certificates of all registered devices of a target, or of a forgotten device, that are not revoked, in the order in which
    /// they were issued, without their DER.
    func unrevoked(of target: BlockTarget) throws(SQLiteError) -> [DeviceCertificate] {
        let select = try SQLiteStatement(connection, CertificateRow.selectionWithoutDER + Self.unrevoked(of: target.kind))
        switch target {
        case .device(let id): select.bind(1, id.bytes)
        case .subject(let hash, let app):
            select.bind(1, hash)
            select.bind(2, app.text)
        case .key(let key):
            select.bind(1, key.keyID)
            select.bind(2, key.app.text)
        }
        return try select.all(CertificateRow.certificate)
    }

    static func unrevoked(of kind: BlockKind) -> String {
        let device =
            switch kind {
            case .device: "= ?1"
            case .subject: "IN (SELECT id FROM devices WHERE subject = ?1 AND app = ?2)"
            case .key: "IN (SELECT id FROM devices WHERE key_id = ?1 AND app = ?2)"
            }
        return " WHERE certificates.device \(device) AND revoked_at IS NULL ORDER BY certificates.number"
    }

    /// Removes the DER of a device's certificates, and overwrites its bytes.
    func eraseDER(of device: DeviceID) throws(SQLiteError) {
        let erase = try SQLiteStatement(connection, Self.erasure)
        erase.bind(1, device.bytes)
        try connection.overwritingDeleted { () throws(SQLiteError) in try erase.run() }
    }
}
