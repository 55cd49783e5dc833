import AssayCore
import Crypto

/// The signer of a `TestAuthority`'s receipts: an intermediate and a signer below its root, modelled on Apple's. Its keys are
/// derived from the root's, so that a saved authority has the same ones.
struct ReceiptAuthority: Sendable {
    /// P-256, like all keys here but the root's.
    let intermediateKey: TestSigningKey
    let signingKey: TestSigningKey
    let intermediateCertificate: [UInt8]
    let signerCertificate: [UInt8]

    private let rootKey: TestSigningKey

    init(rootKey: TestSigningKey) throws(SimulatorError) {
        let seed = Hex.encode(Array(SHA256.hash(data: rootKey.scalar)))
        self.rootKey = rootKey
        intermediateKey = TestSigningKey(.p256, seed: seed, label: "receipt intermediate")
        signingKey = TestSigningKey(.p256, seed: seed, label: "receipt signer")
        intermediateCertificate = try Self.intermediate(rootKey, intermediateKey).signed(by: rootKey)
        signerCertificate = try Self.signer(signingKey, intermediateKey).signed(by: intermediateKey)
    }

    /// A receipt over fields, with the changes applied.
    func sign(
        _ draft: ReceiptDraft, root: [UInt8], changes: ReceiptChanges
    ) throws(SimulatorError) -> [UInt8] {
        var draft = draft
        changes.fields(&draft)
        var payload = draft.payload
        changes.payload(&payload)
        var signer = Self.signer(signingKey, intermediateKey)
        var signerCertificate = signerCertificate
        if let change = changes.signer {
            change(&signer)
            signerCertificate = try signer.signed(by: changes.signerIssuerKey ?? intermediateKey)
        }
        var intermediateCertificate = intermediateCertificate
        if let change = changes.intermediate {
            var intermediate = Self.intermediate(rootKey, intermediateKey)
            change(&intermediate)
            intermediateCertificate = try intermediate.signed(by: rootKey)
        }
        let key = changes.signingKey ?? signingKey
        var message = try SignedMessageDraft(
            content: payload, certificates: [signerCertificate, intermediateCertificate, root], issuer: signer.issuer.der,
            serial: signer.serial, key: key)
        if changes.hasSignedAttributes { try message.signAttributes(by: key) }
        changes.message(&message)
        var bytes = message.bytes
        changes.bytes(&bytes)
        return bytes
    }

    private static func intermediate(_ rootKey: TestSigningKey, _ key: TestSigningKey) -> CertificateBuilder {
        CertificateBuilder(
            serial: TestAuthority.serial(of: key), algorithm: .ecdsaWithSHA384, issuer: TestAuthority.rootName,
            notBefore: TestAuthority.notBefore, notAfter: TestAuthority.notAfter, subject: intermediateName,
            subjectPublicKeyInfo: key.subjectPublicKeyInfo,
            extensions: [
                .basicConstraints(ca: true, pathLength: 0), .authorityKeyIdentifier(rootKey), .subjectKeyIdentifier(key),
                .keyUsage([.keyCertSign, .cRLSign]), .init(ExtensionName.appleIntegrationCA, [0x05, 0x00]),
            ])
    }

    private static func signer(_ key: TestSigningKey, _ intermediateKey: TestSigningKey) -> CertificateBuilder {
        CertificateBuilder(
            serial: TestAuthority.serial(of: key), algorithm: .ecdsaWithSHA256, issuer: intermediateName,
            notBefore: TestAuthority.notBefore, notAfter: TestAuthority.notAfter, subject: signerName,
            subjectPublicKeyInfo: key.subjectPublicKeyInfo,
            extensions: [
                .basicConstraints(ca: false), .authorityKeyIdentifier(intermediateKey), .subjectKeyIdentifier(key),
                .keyUsage(.digitalSignature), .init(ExtensionName.appleReceiptSigner, [0x05, 0x00]),
            ])
    }

    private static let intermediateName = CertificateBuilder.Name(
        commonName: "Assay Test Application Integration CA 5", organization: "Assay Simulator", state: "Simulation")
    private static let signerName = CertificateBuilder.Name(
        commonName: "Assay Test Fraud Receipt Signing", organization: "Assay Simulator", state: "Simulation")
}
