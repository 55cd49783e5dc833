package import AssayCertificates
package import AssayService

extension Configuration {
    /// Every anchor that some app trusts, once.
    package var anchors: [TrustAnchor] {
        var seen: Set<TrustAnchor> = []
        let own = apps.flatMap { $0.appAttest?.extraRoots ?? [] }
        return (TrustAnchor.appAttest + TrustAnchor.appAttestReceipt + own + testRoots).filter { seen.insert($0).inserted }
    }
}

extension AnchorFacts {
    package init(_ anchor: TrustAnchor) {
        self.init(
            name: anchor.name, publisher: anchor.publisher, spkiSHA256: anchor.publicKeySHA256,
            certificateSHA256: anchor.certificateSHA256, simulated: anchor.simulated)
    }
}
