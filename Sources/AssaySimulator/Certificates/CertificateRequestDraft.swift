import AssayEncoding

/// A PKCS #10 certificate signing request (RFC 2986 §4) before it is signed, without attributes.
public struct CertificateRequestDraft: Sendable {
    public var subject: CertificateBuilder.Name
    /// SubjectPublicKeyInfo (DER) of the key to be certified.
    public var publicKey: [UInt8]
    public var algorithm: CertificateBuilder.Algorithm
    private let key: TestKey

    public init(subject: CertificateBuilder.Name, key: TestKey) {
        (self.subject, self.key) = (subject, key)
        (publicKey, algorithm) = (key.subjectPublicKeyInfo, .usual(for: key))
    }

    /// The request in DER.
    ///
    /// - Parameter other: signs in place of the key itself, so that the request proves nothing.
    public func signed(by other: TestKey? = nil) throws(SimulatorError) -> [UInt8] {
        let content = DERWriter.sequence([DERWriter.integer(0), subject.der, publicKey, DERWriter.context(0, [])])
        let signature = try (other ?? key).sign(certificate: content, hash: algorithm.hash)
        return DERWriter.sequence([content, algorithm.der, DERWriter.bitString(signature)])
    }
}

extension AndroidKey {
    /// A request for a certificate of this key (DER), as an app makes one with a key that may sign.
    public func certificateRequest() throws(SimulatorError) -> [UInt8] {
        try CertificateRequestDraft(subject: .init(commonName: "Android Keystore Key"), key: key).signed()
    }
}
