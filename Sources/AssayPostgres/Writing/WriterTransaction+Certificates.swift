import AssayCore

/// Certificates and API keys.
extension WriterTransaction {
    private var certificates: CertificateTable { CertificateTable(database: database) }

    /// Adds a certificate that nothing speaks against, and records it. Returns its number.
    func issue(
        _ certificate: DeviceCertificate, by origin: ChangeOrigin, at time: Timestamp
    ) throws(PostgresError) -> Int64 {
        let inserted = try database.run(CertificateTable.insertion(of: certificate)).last
        guard let number = try inserted?.first({ $0.int64(0) }) else { throw .damaged("a certificate has no number") }
        append(.issue(certificate, by: origin), at: time)
        return number
    }

    /// Why a certificate cannot be added; `nil` if it can.
    ///
    /// - Parameter facts: has the lock of its key.
    func objection(toAdding certificate: DeviceCertificate, _ facts: GroupFacts) throws(PostgresError) -> ReasonCode? {
        let key = DeviceKey(app: certificate.app, keyID: certificate.keyID)
        if facts.keys[key]?.isBlocked == true { return .deviceBlocked }
        if try database.find(CertificateTable.certificate(key)) != nil { return .keyAlreadyCertified }
        if try certificates.lock(certificate.name) != nil { return .certificateSerialTaken }
        guard let origin = certificate.renewedFrom else { return nil }
        return try certificates.lock(origin) == nil ? .unknownCertificate : nil
    }

    // MARK: Revocation

    /// Revokes a certificate, and its descendants if the reason says so, and records each that was not revoked. `nil` if it is not on
    /// record.
    func revoke(
        _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
    ) throws(PostgresError) -> RevocationChange? {
        // Its device is always the same, and that of all that descend from it. The hot row comes before certificates in the order of locks.
        guard let device = try database.find(CertificateTable.certificate(name))?.device else { return nil }
        try lock(counters: [device])
        guard let number = try certificates.lock(name), var certificate = try database.find(CertificateTable.certificate(name))
        else { return nil }
        let wasRevoked = certificate.revocation != nil
        var revoked = wasRevoked ? [] : [certificate]
        var (renewals, hasMore): ([DeviceCertificate], Bool) = ([], false)
        if reason.revokesRenewals {
            (renewals, hasMore) = try certificates.descendants(of: number, limit: RevocationChange.renewalLimit)
            revoked += renewals
        }
        try revoke(revoked, reason, context)
        if !revoked.isEmpty { _ = try database.run([StatusTable.noting([device])]) }
        if !wasRevoked { certificate.revocation = CertificateRevocation(reason, at: context.time) }
        return RevocationChange(
            certificate: certificate, wasRevoked: wasRevoked, renewals: renewals.map(\.name), hasMoreRenewals: hasMore)
    }

    /// Revokes the certificates of all devices of a target, and of a target that is a key also its certificate and those renewed from it.
    /// Records each, and returns them.
    @discardableResult
    func revokeCertificates(
        of target: BlockTarget, _ reason: RevocationReason, _ context: ChangeContext
    ) throws(PostgresError) -> [DeviceCertificate] {
        var found = try certificates.unrevoked(of: target)
        if case .key(let key) = target {
            let known = Set(found.map(\.name))
            found += try certificates.unrevoked(ofCertified: key).filter { !known.contains($0.name) }
        }
        try revoke(found, reason, context)
        return found
    }

    /// Revokes certificates that are not revoked, and records each.
    private func revoke(
        _ some: [DeviceCertificate], _ reason: RevocationReason, _ context: ChangeContext
    ) throws(PostgresError) {
        try certificates.revoke(some, CertificateRevocation(reason, at: context.time))
        for certificate in some { append(.revoke(certificate, reason, context), at: context.time) }
    }

    // MARK: API keys

    func add(_ key: CallerKey, _ context: ChangeContext) throws(PostgresError) -> Bool {
        guard try CallerKeyTable(database: database).add(key) else { return false }
        append(.key(.createKey, key, context), at: context.time)
        return true
    }

    func revokeCallerKey(_ name: String, _ context: ChangeContext) throws(PostgresError) -> CallerKey? {
        let table = CallerKeyTable(database: database)
        guard var key = try table.locked(name) else { return nil }
        guard key.revokedAt == nil else { return key }
        try table.revoke(name, at: context.time)
        append(.key(.revokeKey, key, context), at: context.time)
        key.revokedAt = context.time
        return key
    }
}
