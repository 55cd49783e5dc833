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

    /// The certificates between the leaf and the root. Every certificate that carries the anchor's name and key is the root, in
    /// whichever edition: a chain may present several, and what stands above the first of them says nothing of those below.
    package var issuers: ArraySlice<Certificate> {
        authorities.prefix { $0.subject != anchor.subject || $0.publicKey != anchor.publicKey }
    }

    /// True if the anchor's own certificate was sent.
    package var presentsRoot: Bool { issuers.count < authorities.count }
}
