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
