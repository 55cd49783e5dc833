import AssayCertificates
package import AssayCore
package import AssaySigning

/// How CAs are made: names, keys, validity.
package struct AuthorityPlan: Sendable {
    /// Names the CAs: "<name> Root CA" and "<name> Issuing CA 1".
    package var name = "Assay Device"
    package var organization: String?
    package var curve = AuthorityCurve.p256
    /// In milliseconds.
    package var rootValidity: Int64 = 20 * 365 * 86_400_000
    /// In milliseconds.
    package var issuingValidity: Int64 = 5 * 365 * 86_400_000

    package init() {}
}

extension AuthorityPlan {
    /// The self-signed certificate (DER) of a root, which has room for one CA below another: for issuing CAs only.
    package func root(_ signer: any Signer, at now: Timestamp) async throws(AuthorityError) -> [UInt8] {
        let subject = try SubjectName(commonName: name + " Root CA", organization: organization)
        let key = try SubjectPublicKeyInfo(certifying: signer.publicKey)
        let draft = CertificateDraft(
            serial: CertificateDraft.randomSerial(), key: key, notBefore: now.wholeSecond,
            notAfter: now.wholeSecond.adding(milliseconds: rootValidity), subject: subject,
            extensions: CertificateExtensions(ofAuthority: key, pathLength: 1))
        return try await draft.signed(by: CertificateSigner(signer, name: subject.der))
    }

    /// The certificate (DER) of an issuing CA, signed by the root: no CA stands below it.
    ///
    /// - Parameter number: stands in its name.
    package func issuing(
        _ number: Int, publicKey: any Signer, below root: IssuingAuthority, at now: Timestamp
    ) async throws(AuthorityError) -> [UInt8] {
        let notAfter = now.wholeSecond.adding(milliseconds: issuingValidity)
        guard notAfter <= root.chain.validity.notAfter else {
            throw .impossible("it would be valid until \(notAfter), and the root ends at \(root.chain.validity.notAfter)")
        }
        guard !root.hasEnded(at: now), now >= root.chain.validity.notBefore else {
            throw .impossible("the root is not valid now")
        }
        let key = try SubjectPublicKeyInfo(certifying: publicKey.publicKey)
        var extensions = CertificateExtensions(ofAuthority: key, pathLength: 0)
        extensions.addAuthorityKey(root.chain.keyIdentifier)
        let draft = CertificateDraft(
            serial: CertificateDraft.randomSerial(), key: key, notBefore: now.wholeSecond, notAfter: notAfter,
            subject: try SubjectName(commonName: "\(name) Issuing CA \(number)", organization: organization),
            extensions: extensions)
        return try await draft.signed(by: root.certificateSigner)
    }
}
