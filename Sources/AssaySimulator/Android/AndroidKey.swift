public import AssayCore
import AssayEncoding

/// A key of a virtual Android device.
public struct AndroidKey: Sendable {
    public let device: VirtualAndroid
    /// The private key. A real device never reveals it; tests use it for forgeries.
    public let key: TestKey

    init(device: VirtualAndroid, key: TestKey) { (self.device, self.key) = (device, key) }

    /// SHA-256 of the SubjectPublicKeyInfo, which identifies the key in a registry. 32 bytes.
    public var keyID: [UInt8] { key.subjectPublicKeyInfoDigest }

    /// An attestation as `KeyStore.getCertificateChain` returns it: DER, the key's own certificate first, the root last.
    ///
    /// Remotely provisioned certificates are issued a day before `time`. `challenge` is usually `ClientData.bytes`; devices
    /// take at most 128 bytes, which is not checked.
    public func attest(
        challenge: [UInt8], at time: Timestamp, changes: KeyAttestationChanges = .genuine
    ) throws(SimulatorError) -> [[UInt8]] {
        let issuers = try device.authority.issuers(of: device, at: time)
        let leaf = leaf(challenge: challenge, at: time, issuer: issuers.first, changes: changes)
        var chain: [[UInt8]] = []
        for (index, var draft) in ([leaf] + issuers).enumerated() {
            changes.certificates[index]?(&draft.builder)
            var bytes = try draft.builder.signed(by: changes.signers[index] ?? draft.signer)
            changes.certificateBytes[index]?(&bytes)
            chain.append(bytes)
        }
        changes.chain(&chain)
        return chain
    }

    /// A chain in PEM (RFC 7468).
    public static func pem(_ chain: [[UInt8]]) -> String { chain.map { PEM.encode($0) }.joined() }

    /// A signature over a message, as `Signature` returns it.
    public func sign(_ message: [UInt8], by scheme: KeySignatureAlgorithm? = nil) throws(SimulatorError) -> [UInt8] {
        try key.sign(message, by: scheme ?? key.usualScheme)
    }

    /// A chain in which this key, attested by `chain`, certifies another one with an invented key description: the purpose of
    /// attest keys, and a forgery that any signing key makes possible.
    public func extend(
        _ chain: [[UInt8]], with other: AndroidKey, challenge: [UInt8], at time: Timestamp,
        changes: KeyAttestationChanges = .genuine
    ) throws(SimulatorError) -> [[UInt8]] {
        let issuer = CertificateDraft(builder: certificate(), signer: key, subjectKey: key)
        var draft = other.leaf(challenge: challenge, at: time, issuer: issuer, changes: changes)
        changes.certificates[0]?(&draft.builder)
        var bytes = try draft.builder.signed(by: changes.signers[0] ?? key)
        changes.certificateBytes[0]?(&bytes)
        var extended = [bytes] + chain
        changes.chain(&extended)
        return extended
    }

    /// The key's own certificate, not yet signed.
    private func leaf(
        challenge: [UInt8], at time: Timestamp, issuer: CertificateDraft?, changes: KeyAttestationChanges
    ) -> CertificateDraft {
        var description = KeyDescriptionDraft(device, key.kind, challenge: challenge, at: time)
        changes.description(&description)
        var elements = description.elements
        changes.elements(&elements)
        var bytes = DERWriter.sequence(elements)
        changes.descriptionBytes(&bytes)

        let signer = issuer?.subjectKey ?? device.attestationKey
        var builder = certificate()
        builder.algorithm = .usual(for: signer)
        if let issuer { builder.issuer = issuer.builder.subject }
        builder.extensions = [.keyUsage(.digitalSignature), .keyDescription(bytes)]
        return CertificateDraft(builder: builder, signer: signer, subjectKey: key)
    }

    /// Serial number 1, a subject without information, and the default dates of apps: 1970 to 2048.
    private func certificate() -> CertificateBuilder {
        let name = CertificateBuilder.Name(commonName: "Android Keystore Key")
        return CertificateBuilder(
            serial: [1], algorithm: .usual(for: key), issuer: name, notBefore: Timestamp(unixSeconds: 0),
            notAfter: Timestamp(unixSeconds: 2_461_449_600), subject: name, subjectPublicKeyInfo: key.subjectPublicKeyInfo,
            extensions: [])
    }
}

/// An unsigned certificate with its signer.
struct CertificateDraft: Sendable {
    var builder: CertificateBuilder
    let signer: TestKey
    /// The certified key.
    let subjectKey: TestKey
}

extension AndroidKey {
    private static let title = "assay virtual android key 1"

    /// The key and its device as text, for saving them to a file. The authority is saved separately.
    public var saved: String {
        var saved = SavedText(Self.title)
        device.save(to: &saved)
        saved.add("kind", key.kind.rawValue)
        saved.add("key", key.privateBytes)
        return saved.text
    }

    /// The key whose `saved` is the text, under its authority.
    public init(saved text: String, authority: AndroidAuthority) throws(SimulatorError) {
        let saved = try SavedText(Self.title, reading: text)
        guard let kind = TestKey.Kind(rawValue: try saved.string("kind")) else { throw .unreadable("unknown kind of key") }
        device = try VirtualAndroid(authority: authority, from: saved)
        key = try TestKey(kind, privateBytes: try saved.bytes("key"))
    }
}

extension VirtualAndroid {
    /// The device's properties. The seed is not saved, only the keys.
    fileprivate func save(to saved: inout SavedText) {
        saved.add("level", String(level.rawValue))
        saved.add("provisioning", provisioning.rawValue)
        saved.add("root", root.rawValue)
        saved.add("attestation-key-kind", attestationKey.kind.rawValue)
        saved.add("attestation-key", attestationKey.privateBytes)
        saved.add("attestation-serial", attestationSerial)
        for package in application.packages {
            saved.add("package", package.name)
            saved.add("package-version", String(package.version))
        }
        for signer in application.signers { saved.add("signer", signer) }
        saved.add("attestation-version", String(attestationVersion))
        saved.add("boot-key", rootOfTrust.verifiedBootKey)
        saved.add("boot-locked", String(rootOfTrust.lockedOctet))
        saved.add("boot-state", String(rootOfTrust.verifiedBootState))
        if let hash = rootOfTrust.verifiedBootHash { saved.add("boot-hash", hash) }
        saved.add("os-version", String(osVersion))
        saved.add("os-patch-level", String(osPatchLevel))
        if let vendorPatchLevel { saved.add("vendor-patch-level", String(vendorPatchLevel)) }
        if let bootPatchLevel { saved.add("boot-patch-level", String(bootPatchLevel)) }
        for (tag, text) in identifiers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            saved.add("identifier-\(tag.rawValue)", Array(text.utf8))
        }
        saved.add("module-hash", moduleHash)
        saved.add("certificates-issued", String(certificatesIssued))
    }

    fileprivate init(authority: AndroidAuthority, from saved: SavedText) throws(SimulatorError) {
        guard let level = Level(rawValue: try saved.number("level")),
            let provisioning = Provisioning(rawValue: try saved.string("provisioning")),
            let root = AndroidAuthority.Root(rawValue: try saved.string("root")),
            let kind = TestKey.Kind(rawValue: try saved.string("attestation-key-kind"))
        else { throw .unreadable("unknown level, provisioning, root or kind of key") }
        var application = AttestedApplicationDraft(packages: [], signers: try saved.allBytes("signer"))
        for (name, version) in zip(try saved.allBytes("package"), saved.strings("package-version")) {
            guard let version = UInt64(version) else { throw .unreadable("package-version is not a number in range") }
            application.packages.append(.init(String(decoding: name, as: UTF8.self), version: version))
        }
        self.init(
            authority: authority, application: application, level: level, provisioning: provisioning, root: root,
            attestationKey: try TestKey(kind, privateBytes: try saved.bytes("attestation-key")))
        attestationSerial = try saved.bytes("attestation-serial")
        attestationVersion = try saved.number("attestation-version")
        rootOfTrust.verifiedBootKey = try saved.bytes("boot-key")
        rootOfTrust.lockedOctet = try saved.number("boot-locked")
        rootOfTrust.verifiedBootState = try saved.number("boot-state")
        rootOfTrust.verifiedBootHash = saved.optionalString("boot-hash") == nil ? nil : try saved.bytes("boot-hash")
        osVersion = try saved.number("os-version")
        osPatchLevel = try saved.number("os-patch-level")
        vendorPatchLevel = saved.optionalString("vendor-patch-level") == nil ? nil : try saved.number("vendor-patch-level")
        bootPatchLevel = saved.optionalString("boot-patch-level") == nil ? nil : try saved.number("boot-patch-level")
        for tag in 710...723 where saved.optionalString("identifier-\(tag)") != nil {
            identifiers[DescriptionTag(tag)] = String(decoding: try saved.bytes("identifier-\(tag)"), as: UTF8.self)
        }
        moduleHash = try saved.bytes("module-hash")
        certificatesIssued = try saved.number("certificates-issued")
    }
}
