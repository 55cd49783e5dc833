package import AssayCore

/// Certificates as presented, leaf first: parsed, and not verified.
package struct UnverifiedChain: Sendable {
    package let leaf: Certificate
    /// The certificates above the leaf; in a good chain each is the issuer of the one before.
    package let authorities: [Certificate]
    /// Leaf first.
    package let certificates: [Certificate]

    /// Throws `bad_chain` for a number of certificates that the profile does not allow, `malformed_certificate` if one cannot
    /// be read.
    ///
    /// - Parameter links: those that it has of the certificates above the leaf are not read again.
    package init(
        parsing list: [ArraySlice<UInt8>], profile: ChainProfile, links: LinkCache? = nil
    ) throws(Rejection) {
        try Self.checkLength(list.count, profile: profile)
        var certificates: [Certificate] = []
        certificates.reserveCapacity(list.count)
        for (index, der) in list.enumerated() {
            if index > 0, let known = links?.certificate(der, allowing: profile.leniencies) {
                certificates.append(known)
                continue
            }
            let leniencies = index == 0 ? profile.leniencies.union(profile.leafLeniencies) : profile.leniencies
            do throws(Rejection) {
                certificates.append(try Certificate(der: der, leniencies: leniencies))
            } catch {
                throw error.at("certificate \(index)")
            }
        }
        guard let leaf = certificates.first else { throw Rejection(.badChain, "no certificate") }
        self.leaf = leaf
        self.certificates = certificates
        authorities = Array(certificates.dropFirst())
    }

    /// Certificates that were parsed before.
    package init(leaf: Certificate, authorities: [Certificate]) {
        (self.leaf, self.authorities, certificates) = (leaf, authorities, [leaf] + authorities)
    }

    /// Checks the number alone, for callers that name it as a step of its own.
    package static func checkLength(_ count: Int, profile: ChainProfile) throws(Rejection) {
        guard profile.lengths.contains(count) else { throw Rejection(.badChain, "a chain of \(count) certificates") }
    }

    /// The certificate whose issuer must be an anchor.
    var top: Certificate { authorities.last ?? leaf }
}

/// A chain that reached a trust anchor. Only `ChainValidator` makes one.
package struct ValidatedChain: Sendable {
    package let leaf: Certificate
    package let authorities: [Certificate]
    /// Leaf first.
    package let certificates: [Certificate]
    package let anchor: TrustAnchor
    /// Serial numbers, leaf first, as unsigned big-endian integers.
    package let serials: [[UInt8]]
    /// The certificates between the leaf and the root. Every certificate with the anchor's name and key is the root, in any
    /// version: a chain may present several, and certificates above the first root say nothing about those below.
    package let issuers: ArraySlice<Certificate>
    /// The leaf's key, if the profile has it parsed.
    private let readLeafKey: PublicKey?

    init(_ chain: UnverifiedChain, leafKey: PublicKey?, anchor: TrustAnchor) {
        (leaf, authorities, certificates) = (chain.leaf, chain.authorities, chain.certificates)
        self.anchor = anchor
        readLeafKey = leafKey
        serials = chain.certificates.map(\.serial)
        issuers = chain.authorities.prefix { $0.subject != anchor.subject || $0.publicKey != anchor.publicKey }
    }

    /// The leaf's key for verification. Throws `unsupported_key` for other kinds that the profile accepts.
    package func leafKey() throws(Rejection) -> PublicKey {
        if let readLeafKey { return readLeafKey }
        return try PublicKey(leaf.publicKey)
    }

    /// Whether the anchor's own certificate was sent.
    package var presentsRoot: Bool { issuers.count < authorities.count }
}
