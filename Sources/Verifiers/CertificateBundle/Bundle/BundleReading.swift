import AssayCore

/// A bundle that is read, with the certificates in it, for the verifier whose cache it was read with.
final class BundleReading: EvidenceReading {
    let content: BundleContent
    let signature: BundleSignature
    /// Of the text with the certificates.
    let key: CertificateCache.Key
    let certificates: Certificates
    private let cache: CertificateCache

    enum Certificates {
        /// The verifier trusted them before.
        case known(TrustedCertificates)
        /// Read now, or why they cannot be read.
        case presented(Result<PresentedCertificates, Rejection>)
    }

    /// - Parameters:
    ///   - cache: of the verifier.
    ///   - asks: whether certificates that are in the cache are taken from it.
    init(_ content: BundleContent, _ signature: BundleSignature, _ cache: CertificateCache, asks: Bool = true) {
        (self.content, self.signature, self.cache) = (content, signature, cache)
        key = CertificateCache.Key(content.certificate)
        if asks, let known = cache.certificates(for: key) {
            certificates = .known(known)
        } else {
            certificates = .presented(
                Result { () throws(Rejection) in try PresentedCertificates(parsing: content.certificate) })
        }
    }

    /// Whether it was read for the verifier with this cache, which no other verifier has.
    func isFor(_ cache: CertificateCache) -> Bool { self.cache === cache }
}
