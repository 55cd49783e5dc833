import AssayCore

/// Certificates inside the transaction: what entries do with them, and their revocation.
extension WriterSession {
    // MARK: Entries

    /// Why an entry's certificates or submission cannot be committed; `nil` if they can. Nothing that the entry writes changes the
    /// answer, so `apply` asks before its first write, and has nothing to revert.
    func objection(toCertificatesOf entry: LedgerEntry) throws(SQLiteError) -> ReasonCode? {
        if let code = try objection(toBasisOf: entry) { return code }
        return try objection(toIssueOf: entry)
    }

    /// Why the entry's evidence cannot rest on its certificate.
    func objection(toBasisOf entry: LedgerEntry) throws(SQLiteError) -> ReasonCode? {
        guard let name = entry.certification?.restsOn else { return nil }
        return try certificates.objection(to: name, at: entry.time)
    }

    /// Why the entry's certificate cannot be issued, or its submission not be counted.
    func objection(toIssueOf entry: LedgerEntry) throws(SQLiteError) -> ReasonCode? {
        if let certificate = entry.certification?.issues {
            guard entry.names(certificate.device) else { return .unknownDevice }
            if let code = try objection(toAdding: certificate) { return code }
        }
        guard let submission = entry.certification?.submission else { return nil }
        let count = try submissions.count(of: submission.device, at: entry.time)
        return count < submission.limit ? nil : .tooManySubmissions
    }

    /// Why a certificate cannot be added; `nil` if it can.
    func objection(toAdding certificate: DeviceCertificate) throws(SQLiteError) -> ReasonCode? {
        let key = DeviceKey(app: certificate.app, keyID: certificate.keyID)
        return try blocks.isBlocked(key) ? .deviceBlocked : certificates.objection(toAdding: certificate)
    }

    func apply(_ certification: LedgerEntry.Certification, of entry: LedgerEntry) throws(SQLiteError) {
        if let certificate = certification.issues {
            _ = try issue(certificate, by: .caller(entry.audit.caller), at: entry.time)
        }
        if let submission = certification.submission { try submissions.add(of: submission.device, at: entry.time) }
    }

    /// Adds a certificate, and records it. Returns its number.
    func issue(
        _ certificate: DeviceCertificate, by origin: ChangeOrigin, at time: Timestamp
    ) throws(SQLiteError) -> Int64 {
        let number = try certificates.add(certificate)
        try statuses.noteIssue(to: certificate.device)
        try audit.append(.issue(certificate, by: origin), at: time)
        return number
    }

    // MARK: Revocation

    /// Revokes a certificate, and its descendants if the reason says so, and records each that was not revoked. `nil` if it is not on
    /// record.
    func revoke(
        _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
    ) throws(SQLiteError) -> RevocationChange? {
        guard var certificate = try certificates.certificate(name) else { return nil }
        let wasRevoked = certificate.revocation != nil
        var revoked = wasRevoked ? [] : [certificate]
        var (renewals, hasMore): ([DeviceCertificate], Bool) = ([], false)
        if reason.revokesRenewals {
            (renewals, hasMore) = try certificates.descendants(of: name, limit: RevocationChange.renewalLimit)
            revoked += renewals
        }
        try revoke(revoked, reason, context)
        if !wasRevoked { certificate.revocation = CertificateRevocation(reason, at: context.time) }
        return RevocationChange(
            certificate: certificate, wasRevoked: wasRevoked, renewals: renewals.map(\.name), hasMoreRenewals: hasMore)
    }

    /// Revokes the certificates of all devices of a target, and of a target that is a key also its certificate and those renewed from it.
    /// Records each, and returns their number.
    @discardableResult
    func revokeCertificates(
        of target: BlockTarget, _ reason: RevocationReason, _ context: ChangeContext
    ) throws(SQLiteError) -> Int {
        var found = try certificates.unrevoked(of: target)
        if case .key(let key) = target {
            let known = Set(found.map(\.name))
            found += try certificates.unrevoked(ofCertified: key).filter { !known.contains($0.name) }
        }
        try revoke(found, reason, context)
        return found.count
    }

    /// Revokes certificates that are not revoked, and records each.
    private func revoke(
        _ some: [DeviceCertificate], _ reason: RevocationReason, _ context: ChangeContext
    ) throws(SQLiteError) {
        try certificates.revoke(some, CertificateRevocation(reason, at: context.time))
        for certificate in some { try audit.append(.revoke(certificate, reason, context), at: context.time) }
        for device in Set(some.map(\.device)) { try statuses.note(device) }
    }
}

extension LedgerEntry {
    /// True if the record names the device, a counter of it advances, or the entry registers it.
    fileprivate func names(_ device: DeviceID) -> Bool {
        audit.device == device || advances.contains { $0.device == device } || registrations.contains { $0.id == device }
    }
}
