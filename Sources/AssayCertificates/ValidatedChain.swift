/// A chain that reached a trust anchor. Only `ChainValidator` makes one.
package struct ValidatedChain: Sendable {
    package let leaf: Certificate
    package let leafKey: PublicKey
    package let authorities: [Certificate]
    package let anchor: TrustAnchor

    init(leaf: Certificate, leafKey: PublicKey, authorities: [Certificate], anchor: TrustAnchor) {
        self.leaf = leaf
        self.leafKey = leafKey
        self.authorities = authorities
        self.anchor = anchor
    }

    /// Serial numbers, leaf first, as unsigned big-endian integers.
    package var serials: [[UInt8]] { [leaf.serial] + authorities.map(\.serial) }
}
