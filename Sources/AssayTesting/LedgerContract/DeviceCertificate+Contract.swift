import AssayCore

extension DeviceCertificate {
    /// A certificate of a device with a random serial number and key.
    static func sample(
        of device: Device, issuer: [UInt8] = LedgerUnderTest.issuer, serial: [UInt8]? = nil,
        keyID: [UInt8] = SecureRandom.bytes(32), notAfter: Timestamp = LedgerUnderTest.expiry,
        renewedFrom: CertificateName? = nil
    ) -> DeviceCertificate {
        DeviceCertificate(
            name: CertificateName(issuer: issuer, serial: serial ?? [1] + SecureRandom.bytes(15)), app: device.app,
            device: device.id, keyID: keyID, notBefore: LedgerUnderTest.now.adding(milliseconds: -1), notAfter: notAfter,
            issuedAt: LedgerUnderTest.now,
            basis: CertificateBasis(
                assurance: .hardware, protection: .vouched, platform: EvidenceFormat(rawValue: "contract.attestation"),
                policyDigest: SecureRandom.bytes(32), simulated: true),
            der: SecureRandom.bytes(900), renewedFrom: renewedFrom)
    }

    /// The certificate after its revocation.
    func revoked(_ reason: RevocationReason, at time: Timestamp = LedgerUnderTest.changedAt) -> DeviceCertificate {
        var certificate = self
        certificate.revocation = CertificateRevocation(reason, at: time)
        return certificate
    }
}

extension LedgerEntry {
    /// An entry about the certificate's device that issues the certificate.
    static func issue(
        _ certificate: DeviceCertificate, spends: [Spend] = [.fresh()], idempotency: Idempotency? = nil
    ) -> LedgerEntry {
        .sample(
            spends: spends, idempotency: idempotency, about: certificate.device,
            certification: Certification(issues: certificate))
    }

    /// An entry whose evidence rests on a certificate.
    static func rests(
        on name: CertificateName, time: Timestamp = LedgerUnderTest.now, spends: [Spend] = [.fresh()],
        about device: DeviceID? = nil, submission: Submission? = nil
    ) -> LedgerEntry {
        .sample(
            time: time, spends: spends, about: device,
            certification: Certification(restsOn: name, submission: submission))
    }

    /// An entry that counts a submission.
    static func submit(
        _ device: DeviceID, atMost limit: Int64, time: Timestamp = LedgerUnderTest.now, spends: [Spend] = [.fresh()]
    ) -> LedgerEntry {
        .sample(
            time: time, spends: spends, about: device,
            certification: Certification(submission: Submission(device: device, limit: limit)))
    }
}

extension LedgerUnderTest {
    /// SHA-256 of a CA's key.
    static let issuer = [UInt8](repeating: 0xCA, count: 32)

    /// Issues a certificate and returns it.
    func issue(_ certificate: DeviceCertificate) async throws -> DeviceCertificate {
        try await expect(.issue(certificate), .committed, "a certificate")
        return certificate
    }

    /// Registers a device and issues a certificate to it.
    func certified(
        subject: [UInt8]? = nil, issuer: [UInt8] = issuer, notAfter: Timestamp = expiry
    ) async throws -> (device: Device, certificate: DeviceCertificate) {
        let device = try await register(.sample(subject: subject))
        return (device, try await issue(.sample(of: device, issuer: issuer, notAfter: notAfter)))
    }

    /// The certificate as a look-up by name finds it, which must equal that by key.
    func bothWays(_ certificate: DeviceCertificate) async throws -> DeviceCertificate? {
        let byName = try await ledger.certificate(certificate.name)
        let byKey = try await ledger.certificate(ofKey: certificate.keyID, app: certificate.app)
        try same(byName, byKey, "the certificate by name and by key")
        return byName
    }
}
