import AssayCore
import AssayEncoding
import Crypto

/// A root and an intermediate modelled on Apple's App Attest CA, and a signer of receipts below the same root, with obvious
/// test names and keys.
///
/// They are trusted only if a configuration names the root; evidence below it is `simulated` permanently.
public struct TestAuthority: Sendable {
    /// Deviations from genuine CA certificates.
    public struct Changes: Sendable {
        public static let genuine = Changes()

        var root = EditList<CertificateBuilder>()
        var intermediate = EditList<CertificateBuilder>()

        public func root(_ change: @escaping @Sendable (inout CertificateBuilder) -> Void) -> Changes {
            var copy = self
            copy.root.add(change)
            return copy
        }

        public func intermediate(_ change: @escaping @Sendable (inout CertificateBuilder) -> Void) -> Changes {
            var copy = self
            copy.intermediate.add(change)
            return copy
        }
    }

    /// P-384.
    public let rootKey: TestSigningKey
    /// P-384.
    public let intermediateKey: TestSigningKey
    /// DER. A configuration that names it trusts the authority's phones.
    public let rootCertificate: [UInt8]
    /// DER: CA, path length 0, issued by the root.
    public let intermediateCertificate: [UInt8]
    let receipts: ReceiptAuthority

    /// An authority with random keys.
    public init(changes: Changes = .genuine) {
        self.init(rootKey: TestSigningKey(.p384), intermediateKey: TestSigningKey(.p384), changes: changes)
    }

    /// The authority of a seed. Names, keys, serial numbers and dates are the same each time; signatures are randomised, so the
    /// certificates of two calls differ in these and trust each other's chains.
    public init(seed: String, changes: Changes = .genuine) {
        self.init(
            rootKey: TestSigningKey(.p384, seed: seed, label: "app attest root"),
            intermediateKey: TestSigningKey(.p384, seed: seed, label: "app attest intermediate"), changes: changes)
    }

    private init(rootKey: TestSigningKey, intermediateKey: TestSigningKey, changes: Changes) {
        var root = CertificateBuilder(
            serial: Self.serial(of: rootKey), algorithm: .ecdsaWithSHA384, issuer: Self.rootName,
            notBefore: Self.notBefore, notAfter: Self.notAfter, subject: Self.rootName,
            subjectPublicKeyInfo: rootKey.subjectPublicKeyInfo,
            extensions: [
                .basicConstraints(ca: true), .subjectKeyIdentifier(rootKey), .keyUsage([.keyCertSign, .cRLSign]),
            ])
        changes.root(&root)
        var intermediate = Self.intermediate(rootKey: rootKey, intermediateKey: intermediateKey)
        changes.intermediate(&intermediate)
        self.rootKey = rootKey
        self.intermediateKey = intermediateKey
        do {
            rootCertificate = try root.signed(by: rootKey)
            intermediateCertificate = try intermediate.signed(by: rootKey)
            receipts = try ReceiptAuthority(rootKey: rootKey)
        } catch {
            // The keys are valid and any bytes can be signed: only a broken library reaches this.
            preconditionFailure("the test authority cannot sign: \(error)")
        }
    }

    /// The root in PEM (RFC 7468), for configurations.
    public var rootPEM: String { PEM.encode(rootCertificate) }

    /// The genuine form of the intermediate, not yet signed.
    var intermediateDraft: CertificateBuilder { Self.intermediate(rootKey: rootKey, intermediateKey: intermediateKey) }

    private static func intermediate(rootKey: TestSigningKey, intermediateKey: TestSigningKey) -> CertificateBuilder {
        CertificateBuilder(
            serial: serial(of: intermediateKey), algorithm: .ecdsaWithSHA384, issuer: rootName,
            notBefore: notBefore, notAfter: notAfter, subject: intermediateName,
            subjectPublicKeyInfo: intermediateKey.subjectPublicKeyInfo,
            extensions: [
                .basicConstraints(ca: true, pathLength: 0), .authorityKeyIdentifier(rootKey),
                .subjectKeyIdentifier(intermediateKey), .keyUsage([.keyCertSign, .cRLSign]),
            ])
    }

    /// 16 octets derived from the key: positive, and without a leading zero.
    static func serial(of key: TestSigningKey) -> [UInt8] {
        var octets = Array(SHA256.hash(data: key.publicPoint).prefix(16))
        octets[0] = octets[0] & 0x3F | 0x40
        return octets
    }

    static let rootName = CertificateBuilder.Name(
        commonName: "Assay Test App Attestation Root CA", organization: "Assay Simulator", state: "Simulation")
    static let intermediateName = CertificateBuilder.Name(
        commonName: "Assay Test App Attestation CA 1", organization: "Assay Simulator", state: "Simulation")

    /// 2020-03-18 to 2049-12-31: the end of UTCTime, so that no test expires.
    static let notBefore = Timestamp(unixSeconds: 1_584_489_600)
    static let notAfter = Timestamp(unixSeconds: 2_524_521_600)
}

extension TestAuthority {
    private static let title = "assay test authority 1"

    /// The keys and certificates as plain text, for saving the authority to a file. Anyone who has the keys can forge evidence
    /// wherever the root is trusted.
    public var saved: String {
        var saved = SavedText(Self.title)
        saved.add("root-key", rootKey.scalar)
        saved.add("intermediate-key", intermediateKey.scalar)
        saved.add("root-certificate", rootCertificate)
        saved.add("intermediate-certificate", intermediateCertificate)
        return saved.text
    }

    /// The authority whose `saved` is the text, byte for byte; the certificates of receipts are signed again.
    public init(saved text: String) throws(SimulatorError) {
        let saved = try SavedText(Self.title, reading: text)
        rootKey = try TestSigningKey(.p384, scalar: try saved.bytes("root-key"))
        intermediateKey = try TestSigningKey(.p384, scalar: try saved.bytes("intermediate-key"))
        rootCertificate = try saved.bytes("root-certificate")
        intermediateCertificate = try saved.bytes("intermediate-certificate")
        receipts = try ReceiptAuthority(rootKey: rootKey)
    }
}
