package import AssayCore

/// A chain that reached a trust anchor. Only `ChainValidator` makes one.
package struct ValidatedChain: Sendable {
    package let leaf: Certificate
    package let authorities: [Certificate]
    package let anchor: TrustAnchor
    /// The leaf's key, if the profile has it parsed.
    private let readLeafKey: PublicKey?

    init(leaf: Certificate, leafKey: PublicKey?, authorities: [Certificate], anchor: TrustAnchor) {
        self.leaf = leaf
        readLeafKey = leafKey
        self.authorities = authorities
        self.anchor = anchor
    }

    /// Serial numbers, leaf first, as unsigned big-endian integers.
    package var serials: [[UInt8]] { [leaf.serial] + authorities.map(\.serial) }

    /// The leaf's key for verification. Throws `unsupported_key` for other kinds that the profile accepts.
    package func leafKey() throws(Rejection) -> PublicKey {
        if let readLeafKey { return readLeafKey }
        return try PublicKey(leaf.publicKey)
    }

    /// Leaf first.
    package var certificates: [Certificate] { [leaf] + authorities }

    /// The certificates between the leaf and the root. Every certificate with the anchor's name and key is the root, in any
    /// version: a chain may present several, and certificates above the first root say nothing about those below.
    package var issuers: ArraySlice<Certificate> {
        authorities.prefix { $0.subject != anchor.subject || $0.publicKey != anchor.publicKey }
    }

    /// Whether the anchor's own certificate was sent.
    package var presentsRoot: Bool { issuers.count < authorities.count }
}
