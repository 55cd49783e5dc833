package import AssayCore

/// A chain that reached a trust anchor. Only `ChainValidator` makes one.
package struct ValidatedChain: Sendable {
    package let leaf: Certificate
    package let authorities: [Certificate]
    package let anchor: TrustAnchor
    /// The leaf's key, where the profile has it read.
    private let readLeafKey: PublicKey?

    init(leaf: Certificate, leafKey: PublicKey?, authorities: [Certificate], anchor: TrustAnchor) {
        self.leaf = leaf
        readLeafKey = leafKey
        self.authorities = authorities
        self.anchor = anchor
    }

    /// Serial numbers, leaf first, as unsigned big-endian integers.
    package var serials: [[UInt8]] { [leaf.serial] + authorities.map(\.serial) }

    /// The leaf's key as one that verifies; throws `unsupported_key` for the other kinds that a profile may let pass.
    package func leafKey() throws(Rejection) -> PublicKey {
        if let readLeafKey { return readLeafKey }
        return try PublicKey(leaf.publicKey)
    }

    /// Leaf first.
    package var certificates: [Certificate] { [leaf] + authorities }

    /// True if the anchor's own certificate, in whichever edition, is the last one.
    package var presentsRoot: Bool {
        authorities.last.map { $0.isSelfIssued && $0.subject == anchor.subject && $0.publicKey == anchor.publicKey } ?? false
    }
}
