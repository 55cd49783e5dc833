import AssayEncoding

/// A certification request (PKCS#10, RFC 2986) before it is signed. Every field can be set to what no device would send.
public struct CertificateRequestDraft: Sendable {
    public var version: UInt64 = 0
    public var subject: CertificateBuilder.Name
    public var subjectPublicKeyInfo: [UInt8]
    /// The content of `[0]`: attributes as DER; `nil` omits the field.
    public var attributes: [[UInt8]]? = []
    public var algorithm: CertificateBuilder.Algorithm

    public init(_ key: TestKey, subject: CertificateBuilder.Name = CertificateBuilder.Name(commonName: "device")) {
        self.subject = subject
        subjectPublicKeyInfo = key.subjectPublicKeyInfo
        algorithm = .usual(for: key)
    }

    /// An extensionRequest attribute (RFC 2985 §5.4.2).
    public static func extensionRequest(_ extensions: [CertificateBuilder.Extension]) -> [UInt8] {
        DERWriter.sequence([
            DERWriter.objectIdentifier("1.2.840.113549.1.9.14"), DERWriter.set([DERWriter.sequence(extensions.map(\.der))]),
        ])
    }

    /// The part that is signed.
    public var toBeSigned: [UInt8] {
        DERWriter.sequence(
            [DERWriter.integer(version), subject.der, subjectPublicKeyInfo]
                + (attributes.map { [DERWriter.context(0, $0)] } ?? []))
    }

    /// The request in DER.
    public func signed(by key: TestKey) throws(SimulatorError) -> [UInt8] {
        let toBeSigned = toBeSigned
        let signature = try key.sign(certificate: toBeSigned, hash: algorithm.hash)
        return DERWriter.sequence([toBeSigned, algorithm.der, DERWriter.bitString(signature)])
    }
}
