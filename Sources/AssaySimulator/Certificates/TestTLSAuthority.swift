public import AssayCore
import AssayEncoding

/// A test's own CA, which issues certificates for TLS. Its output is PEM, for servers and clients.
public struct TestTLSAuthority: Sendable {
    /// The extended key usage (RFC 5280 §4.2.1.12).
    public enum Usage: Sendable { case server, client }

    /// A certificate and its key.
    public struct Issued: Sendable {
        public let certificate: String
        public let privateKey: String
    }

    /// From 2001 until 2048: for tests that do not concern dates.
    public static let always = (
        notBefore: Timestamp(unixSeconds: 1_000_000_000), notAfter: Timestamp(unixSeconds: 2_480_000_000)
    )

    private let key: TestSigningKey
    private let name: CertificateBuilder.Name
    private let der: [UInt8]

    public init(
        _ commonName: String = "test CA", notBefore: Timestamp = always.notBefore, notAfter: Timestamp = always.notAfter
    ) throws(SimulatorError) {
        key = TestSigningKey(.p256)
        name = CertificateBuilder.Name(commonName: commonName)
        let builder = CertificateBuilder(
            serial: SecureRandom.bytes(8), algorithm: .ecdsaWithSHA256, issuer: name, notBefore: notBefore,
            notAfter: notAfter, subject: name, subjectPublicKeyInfo: key.subjectPublicKeyInfo,
            extensions: [.basicConstraints(ca: true), .keyUsage([.keyCertSign, .cRLSign])])
        der = try builder.signed(by: key)
    }

    /// The CA's certificate.
    public var pem: String { PEM.encode(der) }

    /// A certificate with a new key, for the names in `names`.
    public func issue(
        _ usage: Usage, names: [SubjectAlternativeName], notBefore: Timestamp = always.notBefore,
        notAfter: Timestamp = always.notAfter
    ) throws(SimulatorError) -> Issued {
        let leaf = TestSigningKey(.p256)
        let builder = CertificateBuilder(
            serial: SecureRandom.bytes(8), algorithm: .ecdsaWithSHA256, issuer: name, notBefore: notBefore,
            notAfter: notAfter, subject: CertificateBuilder.Name(commonName: "test"),
            subjectPublicKeyInfo: leaf.subjectPublicKeyInfo,
            extensions: [
                .basicConstraints(ca: false), .keyUsage(.digitalSignature), .extendedKeyUsage(usage),
            ] + (names.isEmpty ? [] : [.subjectAlternativeNames(names)]))
        return Issued(certificate: PEM.encode(try builder.signed(by: key)), privateKey: leaf.pem)
    }
}

extension CertificateBuilder.Extension {
    static func extendedKeyUsage(_ usage: TestTLSAuthority.Usage) -> Self {
        let purpose = usage == .server ? "1.3.6.1.5.5.7.3.1" : "1.3.6.1.5.5.7.3.2"
        return Self(ExtensionName.extendedKeyUsage, DERWriter.sequence([DERWriter.objectIdentifier(purpose)]))
    }
}
