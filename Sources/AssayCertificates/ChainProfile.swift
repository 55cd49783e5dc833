package import AssayEncoding

/// What one kind of evidence demands of its certificates.
package struct ChainProfile: Sendable {
    /// How many certificates are presented, the anchor's own not needed among them.
    package var lengths: ClosedRange<Int>
    package var signatureAlgorithms: Set<SignatureAlgorithm>
    package var leafKeys: Set<SubjectPublicKeyInfo.Algorithm>
    package var authorityKeys: Set<SubjectPublicKeyInfo.Algorithm>
    /// Usages that the leaf's key must be certified for.
    package var leafUsage: KeyUsage
    /// Critical extensions that are understood besides basicConstraints and keyUsage; any other is refused.
    package var criticalExtensions: Set<OID>
    package var leniencies: CertificateLeniencies
    /// True where one leaf signs many things, so that its own link is worth remembering too.
    package var leafRecurs: Bool
    /// How far clocks may differ, in milliseconds, at both ends of the validity.
    package var skewMilliseconds: Int64

    package init(
        lengths: ClosedRange<Int>, signatureAlgorithms: Set<SignatureAlgorithm>,
        leafKeys: Set<SubjectPublicKeyInfo.Algorithm>, authorityKeys: Set<SubjectPublicKeyInfo.Algorithm>,
        leafUsage: KeyUsage, criticalExtensions: Set<OID> = [], leniencies: CertificateLeniencies = [],
        leafRecurs: Bool = false, skewMilliseconds: Int64 = 300_000
    ) {
        self.lengths = lengths
        self.signatureAlgorithms = signatureAlgorithms
        self.leafKeys = leafKeys
        self.authorityKeys = authorityKeys
        self.leafUsage = leafUsage
        self.criticalExtensions = criticalExtensions
        self.leniencies = leniencies
        self.leafRecurs = leafRecurs
        self.skewMilliseconds = skewMilliseconds
    }
}
