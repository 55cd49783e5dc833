package import AssayEncoding

/// What one kind of evidence demands of its certificates.
package struct ChainProfile: Sendable {
    /// How many certificates are presented, the anchor's own not needed among them.
    package var lengths: ClosedRange<Int>
    package var signatureAlgorithms: Set<SignatureAlgorithm>
    /// `nil`: any, and nobody looks: to the chain the key is opaque.
    package var leafKeys: Set<SubjectPublicKeyInfo.Algorithm>?
    package var authorityKeys: Set<SubjectPublicKeyInfo.Algorithm>
    /// Usages that the leaf's key must be certified for.
    package var leafUsage: KeyUsage
    /// Critical extensions that are understood besides basicConstraints and keyUsage; any other is refused.
    package var criticalExtensions: Set<OID>
    package var leniencies: CertificateLeniencies
    /// True where one leaf signs many things, so that its own link is worth remembering too.
    package var leafRecurs: Bool
    /// Leniencies for the leaf alone, beside those for all.
    package var leafLeniencies: CertificateLeniencies
    /// False where genuine issuers break RFC 5280 §4.2.1.3 and §4.2.1.9, so that the verifier tells issuers from others by
    /// means of its own.
    package var checksConstraints: Bool
    /// False where what counts of a validity depends on what the chain turns out to be, so that the verifier judges it.
    package var checksValidity: Bool
    /// A certificate that is valid for a shorter time, in milliseconds, is one device's own: its link is not remembered.
    package var shortestRemembered: Int64
    /// How far clocks may differ, in milliseconds, at both ends of the validity.
    package var skewMilliseconds: Int64

    package init(
        lengths: ClosedRange<Int>, signatureAlgorithms: Set<SignatureAlgorithm>,
        leafKeys: Set<SubjectPublicKeyInfo.Algorithm>?, authorityKeys: Set<SubjectPublicKeyInfo.Algorithm>,
        leafUsage: KeyUsage, criticalExtensions: Set<OID> = [], leniencies: CertificateLeniencies = [],
        leafRecurs: Bool = false, leafLeniencies: CertificateLeniencies = [], checksConstraints: Bool = true,
        checksValidity: Bool = true, shortestRemembered: Int64 = 0, skewMilliseconds: Int64 = 300_000
    ) {
        self.lengths = lengths
        self.signatureAlgorithms = signatureAlgorithms
        self.leafKeys = leafKeys
        self.authorityKeys = authorityKeys
        self.leafUsage = leafUsage
        self.criticalExtensions = criticalExtensions
        self.leniencies = leniencies
        self.leafRecurs = leafRecurs
        self.leafLeniencies = leafLeniencies
        self.checksConstraints = checksConstraints
        self.checksValidity = checksValidity
        self.shortestRemembered = shortestRemembered
        self.skewMilliseconds = skewMilliseconds
    }
}
