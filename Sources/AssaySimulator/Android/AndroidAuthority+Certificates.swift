import AssayCore
import AssayEncoding

/// The certificates above an attested key.
extension AndroidAuthority {
    /// The certificates from the one of the device's attestation key up to the root, not yet signed.
    func issuers(of device: VirtualAndroid, at time: Timestamp) throws(SimulatorError) -> [CertificateDraft] {
        switch device.provisioning {
        case .factory: try factory(device)
        case .remote: try remote(device, at: time)
        case .software: try software(device)
        }
    }

    /// The attestation key that the authority gives a device: the batch's, the device's own, or the one of software
    /// attestation.
    func attestationKey(_ provisioning: VirtualAndroid.Provisioning, _ level: VirtualAndroid.Level, seed: String?) -> TestKey {
        switch provisioning {
        case .factory: key(.p256, "factory batch \(level)")
        case .remote:
            TestKey(seed.map { TestSigningKey(.p256, seed: $0, label: "android attestation") } ?? TestSigningKey(.p256))
        case .software: key(.p256, "software intermediate")
        }
    }

    // MARK: Factory: batch key, intermediate of the level, root

    private func factory(_ device: VirtualAndroid) throws(SimulatorError) -> [CertificateDraft] {
        let root = try rootDraft(device.root)
        let upperKey = key(.p384, "factory intermediate \(device.level)")
        let upper = issued(
            by: root, upperKey, factoryName(device.level, upperKey), from: Self.factoryStart, to: Self.factoryEnd)
        var batch = issued(
            by: upper, device.attestationKey, factoryName(device.level, device.attestationKey), from: Self.factoryStart,
            to: Self.factoryEnd)
        batch.builder.serial = device.attestationSerial
        return [batch, upper, root]
    }

    private func factoryName(_ level: VirtualAndroid.Level, _ key: TestKey) -> CertificateBuilder.Name {
        .init([
            .init("2.5.4.12", level == .strongBox ? "StrongBox" : "TEE"), .init("2.5.4.5", Hex.encode(Self.serial(of: key))),
        ])
    }

    // MARK: Remote provisioning: the device's key, Droid CA3, Droid CA2, root

    private func remote(_ device: VirtualAndroid, at time: Timestamp) throws(SimulatorError) -> [CertificateDraft] {
        let day: Int64 = 86_400_000
        let root = try rootDraft(device.root)
        let second = issued(
            by: root, key(.p384, "droid ca2"), droidName("Droid CA2"), from: Self.rootStart, to: Self.rootEnd)
        let third = issued(
            by: second, key(.p256, "droid ca3"), droidName("Droid CA3"), from: time.adding(milliseconds: -20 * day),
            to: time.adding(milliseconds: 50 * day))
        let name = CertificateBuilder.Name([
            .init("2.5.4.10", device.level == .strongBox ? "StrongBox" : "TEE"),
            .init("2.5.4.3", Hex.encode(device.attestationSerial)),
        ])
        var attestation = issued(
            by: third, device.attestationKey, name, from: time.adding(milliseconds: -day),
            to: time.adding(milliseconds: 13 * day))
        attestation.builder.serial = device.attestationSerial
        var info = CBORMap()
        info.append(1, CBORWriter.integer(Int64(clamping: device.certificatesIssued)))
        info.append(3, CBORWriter.text("Assay Simulator"))
        attestation.builder.extensions.append(.provisioningInfo(info.bytes))
        return [attestation, third, second, root]
    }

    private func droidName(_ name: String) -> CertificateBuilder.Name {
        .init([.init("2.5.4.10", "Google LLC"), .init("2.5.4.3", name)])
    }

    // MARK: Software: intermediate, root

    private func software(_ device: VirtualAndroid) throws(SimulatorError) -> [CertificateDraft] {
        let root = try rootDraft(device.root)
        var intermediate = issued(
            by: root, device.attestationKey, Self.softwareName("Intermediate"), from: Self.rootStart,
            to: Self.rootEnd)
        intermediate.builder.serial = device.attestationSerial
        return [intermediate, root]
    }

    private static func softwareName(_ role: String) -> CertificateBuilder.Name {
        .init(
            commonName: "Assay Test Android Software Attestation \(role)", unit: "Android", organization: "Assay Simulator",
            state: "Simulation")
    }

    // MARK: Roots

    func rootDraft(_ root: Root) throws(SimulatorError) -> CertificateDraft {
        switch root {
        case .rsa: selfIssued(try rsaRootKey(), .init([.init("2.5.4.5", "7e5700000000a55a")]))
        case .p384:
            selfIssued(
                p384RootKey,
                .init(commonName: "Assay Test Key Attestation CA1", unit: "Android", organization: "Assay Simulator"))
        case .software: selfIssued(softwareRootKey, Self.softwareName("Root"))
        }
    }

    private func selfIssued(_ key: TestKey, _ name: CertificateBuilder.Name) -> CertificateDraft {
        let builder = CertificateBuilder(
            serial: Self.serial(of: key), algorithm: .usual(for: key), issuer: name, notBefore: Self.rootStart,
            notAfter: Self.rootEnd, subject: name, subjectPublicKeyInfo: key.subjectPublicKeyInfo,
            extensions: [.subjectKeyIdentifier(key), .basicConstraints(ca: true), .keyUsage([.keyCertSign, .cRLSign])])
        return CertificateDraft(builder: builder, signer: key, subjectKey: key)
    }

    private func issued(
        by issuer: CertificateDraft, _ key: TestKey, _ name: CertificateBuilder.Name, from start: Timestamp, to end: Timestamp
    ) -> CertificateDraft {
        let signer = issuer.subjectKey
        let builder = CertificateBuilder(
            serial: Self.serial(of: key), algorithm: .usual(for: signer), issuer: issuer.builder.subject, notBefore: start,
            notAfter: end, subject: name, subjectPublicKeyInfo: key.subjectPublicKeyInfo,
            extensions: [
                .subjectKeyIdentifier(key), .authorityKeyIdentifier(signer), .basicConstraints(ca: true),
                .keyUsage(.keyCertSign),
            ])
        return CertificateDraft(builder: builder, signer: signer, subjectKey: key)
    }

    /// 2020-03-18 to 2049-12-31: the end of UTCTime, so that no test expires.
    private static let rootStart = Timestamp(unixSeconds: 1_584_489_600)
    private static let rootEnd = Timestamp(unixSeconds: 2_524_521_600)
    /// 2016-05-26 to 2026-05-24, as on devices in use, which still work.
    private static let factoryStart = Timestamp(unixSeconds: 1_464_280_000)
    private static let factoryEnd = Timestamp(unixSeconds: 1_779_640_000)
}
