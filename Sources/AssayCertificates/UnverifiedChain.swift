package import AssayCore

/// Certificates as presented, leaf first: parsed, and not verified.
package struct UnverifiedChain: Sendable {
    package let leaf: Certificate
    /// The certificates above the leaf; in a good chain each is the issuer of the one before.
    package let authorities: [Certificate]

    /// Throws `bad_chain` for a number of certificates that the profile does not allow, `malformed_certificate` if one cannot
    /// be read.
    package init(parsing list: [ArraySlice<UInt8>], profile: ChainProfile) throws(Rejection) {
        try Self.checkLength(list.count, profile: profile)
        var certificates: [Certificate] = []
        for der in list {
            let leniencies = certificates.isEmpty ? profile.leniencies.union(profile.leafLeniencies) : profile.leniencies
            certificates.append(try Certificate(der: der, leniencies: leniencies))
        }
        guard let leaf = certificates.first else { throw Rejection(.badChain, "no certificate") }
        (self.leaf, authorities) = (leaf, Array(certificates.dropFirst()))
    }

    init(leaf: Certificate, authorities: [Certificate]) { (self.leaf, self.authorities) = (leaf, authorities) }

    /// Checks the number alone, for callers that name it as a step of its own.
    package static func checkLength(_ count: Int, profile: ChainProfile) throws(Rejection) {
        guard profile.lengths.contains(count) else { throw Rejection(.badChain, "a chain of \(count) certificates") }
    }

    var certificates: [Certificate] { [leaf] + authorities }
    /// The certificate whose issuer must be an anchor.
    var top: Certificate { authorities.last ?? leaf }
}
