package import AssayCore
package import AssayEncoding

/// The requirements of one kind of evidence on its certificates.
package struct ChainProfile: Sendable {
    /// The number of presented certificates; the anchor's own need not be among them.
    package var lengths: ClosedRange<Int>
    package var signatureAlgorithms: Set<SignatureAlgorithm>
    /// `nil`: any; the chain does not parse the key.
    package var leafKeys: Set<SubjectPublicKeyInfo.Algorithm>?
    package var authorityKeys: Set<SubjectPublicKeyInfo.Algorithm>
    /// The key usages that the leaf must have.
    package var leafUsage: KeyUsage
    /// The code for a leaf that is the certificate of a CA.
    package var authorityAsLeaf: ReasonCode
    /// Critical extensions that are understood besides basicConstraints and keyUsage; any other is refused.
    package var criticalExtensions: Set<OID>
    package var leniencies: CertificateLeniencies
    /// True if one leaf signs many messages, so that its own link is worth caching too.
    package var leafRecurs: Bool
    /// Leniencies for the leaf alone, beside those for all.
    package var leafLeniencies: CertificateLeniencies
    /// False if genuine issuers break RFC 5280 §4.2.1.3 and §4.2.1.9, so that the verifier identifies issuers by its own rule.
    package var checksConstraints: Bool
    /// False if the class of the chain decides which dates are checked, so that the verifier checks them.
    package var checksValidity: Bool
    /// A certificate with a shorter validity, in milliseconds, belongs to one device: its link is not cached.
    package var shortestRemembered: Int64
    /// How far clocks may differ, in milliseconds, at both ends of the validity.
    package var skewMilliseconds: Int64

    package init(
        lengths: ClosedRange<Int>, signatureAlgorithms: Set<SignatureAlgorithm>,
        leafKeys: Set<SubjectPublicKeyInfo.Algorithm>?, authorityKeys: Set<SubjectPublicKeyInfo.Algorithm>,
        leafUsage: KeyUsage, authorityAsLeaf: ReasonCode = .caUsedAsLeaf,
        criticalExtensions: Set<OID> = [], leniencies: CertificateLeniencies = [],
        leafRecurs: Bool = false, leafLeniencies: CertificateLeniencies = [], checksConstraints: Bool = true,
        checksValidity: Bool = true, shortestRemembered: Int64 = 0, skewMilliseconds: Int64 = 300_000
    ) {
        self.lengths = lengths
        self.signatureAlgorithms = signatureAlgorithms
        self.leafKeys = leafKeys
        self.authorityKeys = authorityKeys
        self.leafUsage = leafUsage
        self.authorityAsLeaf = authorityAsLeaf
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

/// Describes for people what the checks compare that every chain has. The names are those of the findings.
package enum ChainCheck {
    package static func meaning(of check: String) -> String? { meanings[check] }

    /// Without `chain_algorithms`: each platform has algorithms of its own.
    private static let meanings: [String: String] = [  // not text from outside
        "certificates": "each certificate against strict DER and RFC 5280",
        "chain_names": "each issuer against the subject of the next certificate",
        "chain_constraints": "CA flags, path lengths, key usage and critical extensions against RFC 5280",
        "chain_anchor": "the top's issuer, or the registration's anchor, against the trusted anchors",
        "chain_validity": "the time of judgement against each certificate's validity",
        "chain_signatures": "each signature against the issuer's key, up to the anchor's",
    ]
}
