import AssayCertificates

/// The CAs whose device certificates an app accepts.
struct DeviceAuthorities: Sendable {
    /// Assay's own and the others: each an anchor.
    let all: [TrustAnchor]
    /// SHA-256 of the SubjectPublicKeyInfo of each of Assay's own, accepted by the app or not: what they issue is on record.
    private let own: Set<[UInt8]>

    /// - Parameters:
    ///   - own: Assay's own CAs.
    ///   - foreign: CAs of others, which the configuration names.
    ///   - acceptsOwn: whether the app accepts certificates of Assay's own CAs.
    init(own: [TrustAnchor] = [], foreign: [TrustAnchor], acceptsOwn: Bool = true) {
        all = (acceptsOwn ? own : []) + foreign
        self.own = Set(own.map(\.publicKeySHA256))
    }

    /// Whether a CA with this SHA-256 of its SubjectPublicKeyInfo is Assay's own.
    func isOwn(_ issuer: [UInt8]) -> Bool { own.contains(issuer) }
}
