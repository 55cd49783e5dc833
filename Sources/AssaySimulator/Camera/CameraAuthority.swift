public import AssayCore
import AssayEncoding

/// The CAs of a camera maker that exists only in tests: a root, and an issuing CA below it.
public struct CameraAuthority: Sendable {
    public let rootKey: TestKey
    public let issuingKey: TestKey
    /// DER.
    public let rootCertificate: [UInt8]
    public let issuingCertificate: [UInt8]

    static let rootName = CertificateBuilder.Name(commonName: "Virtual Cameras Device Root", organization: "Virtual Cameras")
    static let issuingName = CertificateBuilder.Name(commonName: "Virtual Cameras Device CA", organization: "Virtual Cameras")

    /// - Parameters:
    ///   - seed: an authority has the same keys each time.
    ///   - from: the certificates are valid from a year before to nine years after this time.
    ///   - kind: of the issuing CA's key.
    public init(seed: String, from time: Timestamp, kind: TestKey.Kind = .p256) throws(SimulatorError) {
        let rootKey = try TestKey(.p256, seed: seed, label: "camera root")
        let issuingKey = try TestKey(kind, seed: seed, label: "camera issuing CA")
        let (begin, end) = (time.adding(milliseconds: -365 * 86_400_000), time.adding(milliseconds: 3_285 * 86_400_000))
        func builder(_ serial: UInt8, _ name: CertificateBuilder.Name, _ key: TestKey, pathLength: UInt64?)
            -> CertificateBuilder
        {
            CertificateBuilder(
                serial: [serial], algorithm: .ecdsaWithSHA256, issuer: Self.rootName, notBefore: begin, notAfter: end,
                subject: name, subjectPublicKeyInfo: key.subjectPublicKeyInfo,
                extensions: [
                    .basicConstraints(ca: true, pathLength: pathLength), .keyUsage([.keyCertSign, .cRLSign]),
                    .subjectKeyIdentifier(key), .authorityKeyIdentifier(rootKey),
                ])
        }
        (self.rootKey, self.issuingKey) = (rootKey, issuingKey)
        rootCertificate = try builder(1, Self.rootName, rootKey, pathLength: nil).signed(by: rootKey)
        issuingCertificate = try builder(2, Self.issuingName, issuingKey, pathLength: 0).signed(by: rootKey)
    }

    public var rootPEM: String { PEM.encode(rootCertificate) }
    public var issuingPEM: String { PEM.encode(issuingCertificate) }

    /// A camera's certificate before it is signed, valid for a year from a day before `time`.
    ///
    /// - Parameters:
    ///   - serial: of the camera, for the names of the subject.
    ///   - secret: the statements about the sealed secret; `nil`: the certificate has none.
    public func certificate(
        for key: TestKey, serial: String, number: [UInt8], secret: SealedSecretDraft?, at time: Timestamp
    ) -> CertificateBuilder {
        CertificateBuilder(
            serial: number, algorithm: .usual(for: issuingKey), issuer: Self.issuingName,
            notBefore: time.adding(milliseconds: -86_400_000), notAfter: time.adding(milliseconds: 364 * 86_400_000),
            subject: CertificateBuilder.Name([
                .init("2.5.4.10", "Virtual Cameras"), .init("2.5.4.3", serial), .init("2.5.4.5", serial),
            ]),
            subjectPublicKeyInfo: key.subjectPublicKeyInfo,
            extensions: [
                .basicConstraints(ca: false), .keyUsage(.digitalSignature), .subjectKeyIdentifier(key),
                .authorityKeyIdentifier(issuingKey),
            ] + (secret?.extensions ?? []))
    }
}

/// The statements of a camera's certificate: raw bytes in extnValue, below one arc.
public struct SealedSecretDraft: Hashable, Sendable {
    public var arc = ExtensionArc.fleet.description
    public var manufacturer = "Virtual Cameras"
    public var validationEndpoint = "https://cameras.example/validate"
    /// 60 bytes: ciphertext, tag, nonce.
    public var sealed: [UInt8]
    public var table: UInt16
    public var keyIndex: UInt16
    public var family = "Virtual One"

    public init(sealed: [UInt8], table: UInt16, keyIndex: UInt16) {
        (self.sealed, self.table, self.keyIndex) = (sealed, table, keyIndex)
    }

    var extensions: [CertificateBuilder.Extension] {
        let values: [[UInt8]] = [
            Array(manufacturer.utf8), Array(validationEndpoint.utf8), sealed,
            [UInt8(table >> 8), UInt8(truncatingIfNeeded: table)], [UInt8(keyIndex >> 8), UInt8(truncatingIfNeeded: keyIndex)],
            Array(family.utf8),
        ]
        return values.enumerated().map { CertificateBuilder.Extension("\(arc).\($0 + 1)", $1) }
    }
}
