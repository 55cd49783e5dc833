package import AssayCore

extension FieldDigest {
    /// Appends the key of each anchor, and whether it is simulated, in an order of their own.
    package mutating func append(_ anchors: [TrustAnchor]) {
        for anchor in anchors.sorted(by: { $0.publicKeySHA256.lexicographicallyPrecedes($1.publicKeySHA256) }) {
            append(anchor.publicKeySHA256)
            append(anchor.simulated ? 1 : 0)
        }
    }
}
