import AssayCore

/// The rules of `CertificateRegistry`, and those of `VerdictLedger.commit` about certificates.
extension MemoryState {
    func certificate(_ name: CertificateName) -> DeviceCertificate? { certificates.first { $0.name == name } }

    func certificate(ofKey keyID: [UInt8], app: AppID) -> DeviceCertificate? {
        certificates.first { $0.keyID == keyID && $0.app == app }
    }

    func countedSubmissions(of device: DeviceID, at now: Timestamp) -> Int64 {
        let hours = SubmissionHours.counted(at: now)
        return submissions[device, default: [:]].filter { hours.contains($0.key) }.values.reduce(0, +)
    }

    // MARK: Checks and changes of an entry

    func checkCertificate(of entry: LedgerEntry) throws(Rejection) {
        guard let name = entry.certification?.restsOn else { return }
        guard let certificate = certificate(name) else { throw Rejection(.unknownCertificate, "\(name)") }
        guard certificate.revocation == nil else { throw Rejection(.revoked, "\(name)") }
        guard entry.time <= certificate.notAfter else { throw Rejection(.expired, "\(name)") }
    }

    func checkIssue(of entry: LedgerEntry) throws(Rejection) {
        guard let certificate = entry.certification?.issues else { return }
        let named = [entry.audit.device].compactMap(\.self) + entry.advances.map(\.device) + entry.registrations.map(\.id)
        guard named.contains(certificate.device) else { throw Rejection(.unknownDevice, "\(certificate.device)") }
        try checkNew(certificate)
    }

    func checkNew(_ certificate: DeviceCertificate) throws(Rejection) {
        guard blocks[.key(DeviceKey(app: certificate.app, keyID: certificate.keyID))] == nil else {
            throw Rejection(.deviceBlocked, "the key is blocked")
        }
        guard self.certificate(ofKey: certificate.keyID, app: certificate.app) == nil else {
            throw Rejection(.keyAlreadyCertified, "in \(certificate.app)")
        }
        guard self.certificate(certificate.name) == nil else {
            throw Rejection(.certificateSerialTaken, "\(certificate.name)")
        }
        if let origin = certificate.renewedFrom, self.certificate(origin) == nil {
            throw Rejection(.unknownCertificate, "\(origin)")
        }
    }

    func checkSubmission(of entry: LedgerEntry) throws(Rejection) {
        guard let submission = entry.certification?.submission else { return }
        let count = countedSubmissions(of: submission.device, at: entry.time)
        guard count < submission.limit else { throw Rejection(.tooManySubmissions, "\(count)") }
    }

    mutating func add(_ certificate: DeviceCertificate, by origin: ChangeOrigin, at time: Timestamp) {
        let isNews = certificates.contains { $0.device == certificate.device && $0.revocation != nil }
        certificates.append(certificate)
        if isNews { noteStatusChange(of: [certificate.device]) }
        log(.issue(certificate, by: origin), at: time)
    }

    // MARK: Revocation

    mutating func revoke(
        _ name: CertificateName, _ reason: RevocationReason, _ context: ChangeContext
    ) -> RevocationChange? {
        guard let index = certificates.firstIndex(where: { $0.name == name }) else { return nil }
        let wasRevoked = !revoke(at: index, reason, context)
        let renewals = reason.revokesRenewals ? descendants(of: name).filter { certificates[$0].revocation == nil } : []
        let revoked = renewals.prefix(RevocationChange.renewalLimit)
        for index in revoked { _ = revoke(at: index, reason, context) }
        return RevocationChange(
            certificate: certificates[index], wasRevoked: wasRevoked, renewals: revoked.map { certificates[$0].name },
            hasMoreRenewals: revoked.count < renewals.count)
    }

    /// False if the certificate was revoked before.
    private mutating func revoke(at index: Int, _ reason: RevocationReason, _ context: ChangeContext) -> Bool {
        guard certificates[index].revocation == nil else { return false }
        certificates[index].revocation = CertificateRevocation(reason, at: context.time)
        noteStatusChange(of: [certificates[index].device])
        log(.revoke(certificates[index], reason, context), at: context.time)
        return true
    }

    /// The indices of the certificates that descend from one, generation by generation, each in the order of issue.
    private func descendants(of name: CertificateName) -> [Int] {
        var found: [Int] = []
        var ancestors: Set = [name]
        while !ancestors.isEmpty {
            let renewed = certificates.indices.filter { index in
                certificates[index].renewedFrom.map(ancestors.contains) ?? false
            }
            found += renewed
            ancestors = Set(renewed.map { certificates[$0].name })
        }
        return found
    }

    /// Returns the number of those that were not revoked before.
    @discardableResult
    mutating func revokeCertificates(
        of devices: Set<DeviceID>, _ reason: RevocationReason, _ context: ChangeContext
    ) -> Int {
        certificates.indices.filter { devices.contains(certificates[$0].device) }.count { revoke(at: $0, reason, context) }
    }

    /// Revokes the certificate of a key, and those that were renewed from it. Returns the number of those that were not revoked before.
    mutating func revokeCertificates(
        ofCertified key: DeviceKey, _ reason: RevocationReason, _ context: ChangeContext
    ) -> Int {
        guard let index = certificates.firstIndex(where: { $0.keyID == key.keyID && $0.app == key.app }) else { return 0 }
        return ([index] + descendants(of: certificates[index].name)).count { revoke(at: $0, reason, context) }
    }

    func revocations(of issuer: [UInt8], validAt time: Timestamp) -> [RevokedCertificate] {
        certificates.filter { $0.name.issuer == issuer && time <= $0.notAfter }
            .compactMap { certificate in
                certificate.revocation.map { RevokedCertificate(serial: certificate.name.serial, revocation: $0) }
            }
            .sorted { a, b in
                // Without leading zeros a longer number is a greater one.
                a.serial.count == b.serial.count
                    ? a.serial.lexicographicallyPrecedes(b.serial) : a.serial.count < b.serial.count
            }
    }

    func certificateCounts(of devices: Set<DeviceID>, at time: Timestamp) -> [DeviceID: CertificateCounts] {
        certificates.reduce(into: [:]) { counts, certificate in
            guard devices.contains(certificate.device) else { return }
            var count = counts[certificate.device] ?? CertificateCounts()
            if certificate.revocation != nil {
                count.revoked += 1
            } else if certificate.notAfter < time {
                count.expired += 1
            } else {
                count.good += 1
            }
            counts[certificate.device] = count
        }
    }

    func page(_ listing: CertificateListing) -> CertificatePage {
        let provisioned = listing.deviceSerial.map { serial in
            Set(fleetDevices.filter { $0.serial == serial && $0.app == listing.app }.map(\.device))
        }
        let found = certificates.indices.filter { index in
            let certificate = certificates[index]
            return Int64(index + 1) > listing.position && certificate.app == listing.app
                && (listing.device == nil || certificate.device == listing.device)
                && (provisioned?.contains(certificate.device) ?? true)
                && (listing.isRevoked == nil || listing.isRevoked == (certificate.revocation != nil))
        }
        let page = found.prefix(max(0, listing.limit))
        return CertificatePage(
            certificates: page.map { certificates[$0] },
            next: page.count < found.count ? page.last.map { Int64($0 + 1) } ?? listing.position : nil)
    }
}

extension DeviceCertificate {
    /// What is kept of it after its device was forgotten.
    var withoutDER: DeviceCertificate {
        DeviceCertificate(
            name: name, app: app, device: device, keyID: keyID, notBefore: notBefore, notAfter: notAfter, issuedAt: issuedAt,
            basis: basis, der: [], renewedFrom: renewedFrom, revocation: revocation)
    }
}
