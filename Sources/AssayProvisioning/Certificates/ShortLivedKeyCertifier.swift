package import AssayCertificates
package import AssayCore
package import AssaySigning

/// A CA that certifies keys in a process's memory, each for hours or days: so a key in a token, which signs slowly or may be away, vouches for what
/// they sign. Unlike an ``IssuingAuthority`` it signs no revocation lists, since such certificates end by themselves, and its chain may leave out
/// the root.
package struct ShortLivedKeyCertifier: Sendable {
    private let signer: CertificateSigner
    private let subject: SubjectName
    private let keyIdentifier: [UInt8]
    /// When all certificates of the CA are valid.
    private let validity: Validity

    /// Throws a sentence about the first thing that is wrong with the CA, or with the name.
    ///
    /// - Parameters:
    ///   - certificates: of the CA, its own first.
    ///   - subject: the common name of what it certifies.
    package init(
        _ signer: any Signer, certificates: [AssayCertificates.Certificate], subject: String
    ) throws(AuthorityChainError) {
        guard let own = certificates.first, certificates.count <= AuthorityChain.limit else {
            throw AuthorityChainError("\(certificates.count) certificates, want 1 to \(AuthorityChain.limit)")
        }
        guard own.publicKey.der.elementsEqual(signer.publicKey) else {
            throw AuthorityChainError("the key is not that of \"\(own.subject)\"")
        }
        guard SigningAlgorithm(own.publicKey.algorithm) != nil else {
            throw AuthorityChainError("the key of \"\(own.subject)\" is neither P-256 nor P-384")
        }
        // RFC 5280 §4.1.2.6.
        guard !own.subject.description.isEmpty else { throw AuthorityChainError("the CA's certificate has no subject") }
        try AuthorityChain.checkAuthorities(certificates)
        validity = try AuthorityChain.commonValidity(of: certificates)
        keyIdentifier = try AuthorityChain.keyIdentifier(of: own)
        do throws(AuthorityError) {
            self.subject = try SubjectName(commonName: subject)
        } catch {
            throw AuthorityChainError(error.description)
        }
        self.signer = CertificateSigner(signer, name: Array(own.subject.der))
    }

    /// Certifies a key for digital signatures, and for nothing else.
    ///
    /// - Parameters:
    ///   - publicKey: SubjectPublicKeyInfo (DER).
    ///   - lifetime: in milliseconds; the certificate ends earlier if the CA does.
    package func certify(
        _ publicKey: [UInt8], for lifetime: Int64, at now: Timestamp
    ) async throws(AuthorityError) -> (certificate: [UInt8], notBefore: Timestamp, notAfter: Timestamp) {
        let notBefore = max(now.adding(milliseconds: -IssuingAuthority.backdating), validity.notBefore).wholeSecond
        let notAfter = min(now.adding(milliseconds: lifetime), validity.notAfter).wholeSecond
        guard validity.notBefore <= now, now < notAfter else {
            throw .impossible("the CA is valid from \(validity.notBefore) to \(validity.notAfter), now is \(now)")
        }
        let key = try SubjectPublicKeyInfo(certifying: publicKey)
        var extensions = CertificateExtensions()
        extensions.addEndEntity()
        extensions.addKeyUsage(.digitalSignature)
        extensions.addSubjectKey(key.keyIdentifier)
        extensions.addAuthorityKey(keyIdentifier)
        let draft = CertificateDraft(
            serial: CertificateDraft.randomSerial(), key: key, notBefore: notBefore, notAfter: notAfter, subject: subject,
            extensions: extensions)
        return (try await draft.signed(by: signer), notBefore, notAfter)
    }
}
