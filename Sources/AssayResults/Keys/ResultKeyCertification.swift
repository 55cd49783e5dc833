package import AssayCore
package import AssaySigning

/// How a key of results certifies keys in a daemon's memory. They sign results, and it signs status lists alone.
package struct ResultKeyCertification: Sendable {
    /// How long a certificate is good, unless one above it ends earlier, in milliseconds.
    package let lifetime: Int64
    private let certifying: @Sendable ([UInt8], Timestamp) async throws(SigningError) -> ShortLivedCertificate

    /// - Parameter certifying: makes the certificate of a public key (SubjectPublicKeyInfo, DER), signed by the key that certifies.
    package init(
        lifetime: Int64,
        _ certifying:
            @escaping @Sendable (_ publicKey: [UInt8], _ now: Timestamp) async throws(SigningError)
            -> ShortLivedCertificate
    ) { (self.lifetime, self.certifying) = (lifetime, certifying) }

    func certify(_ publicKey: [UInt8], at now: Timestamp) async throws(SigningError) -> ShortLivedCertificate {
        try await certifying(publicKey, now)
    }

    /// A certified key is exchanged at half of its life, so that the certifying key may be away for the other half. Until then it signs every
    /// result to its end: half of the life is so much longer than a result's, in milliseconds.
    private static let margin: Int64 = 300_000

    /// The shortest `lifetime` for results of at most this life, in milliseconds.
    package static func shortestLifetime(for life: Int64) -> Int64 { 2 * (life + margin) }
}

/// The certificate of a key in memory.
package struct ShortLivedCertificate: Hashable, Sendable {
    package let der: [UInt8]
    package let issuedAt: Timestamp
    package let notBefore: Timestamp
    package let notAfter: Timestamp

    package init(der: [UInt8], issuedAt: Timestamp, notBefore: Timestamp, notAfter: Timestamp) {
        (self.der, self.issuedAt, self.notBefore, self.notAfter) = (der, issuedAt, notBefore, notAfter)
    }
}

extension ResultKey {
    /// A new key in memory, of the same kind, that this key certifies to sign results in its place; `nil` if this key signs them itself.
    package func shortLived(at now: Timestamp) async throws(SigningError) -> ResultKey? {
        guard let certification else { return nil }
        let signer = FileSigner(SigningKey.random(signer.algorithm))
        return ResultKey(signer, of: self, by: try await certification.certify(signer.publicKey, at: now))
    }

    /// Whether the certificate of a key in memory is valid: it has not ended, and the clock was not set back behind its beginning. `true` for a key
    /// that is published.
    func isValid(at now: Timestamp) -> Bool { certificate.map { $0.notBefore <= now && now <= $0.notAfter } ?? true }

    /// Whether the key in memory is to be exchanged for another that `key` certifies.
    package func isDue(under key: ResultKey, at now: Timestamp) -> Bool {
        guard let certificate, let certification = key.certification else { return true }
        return now.milliseconds(since: certificate.issuedAt) >= certificate.notAfter.milliseconds(since: certificate.issuedAt)
            / 2
            // The lifetime was shortened, or the clock set back.
            || certificate.notAfter > now.adding(milliseconds: certification.lifetime) || !isValid(at: now)
            || !certificates.dropFirst().elementsEqual(key.certificates)
    }
}
