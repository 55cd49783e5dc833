package import AssayCertificates
package import AssayService

extension Configuration {
    /// Every anchor that some app trusts, once.
    package var anchors: [TrustAnchor] {
        var seen: Set<TrustAnchor> = []
        let own = apps.flatMap { ($0.appAttest?.extraRoots ?? []) + ($0.android?.extraRoots ?? []) }
        let software = apps.contains { $0.android?.trustsSoftwareRoots == true } ? TrustAnchor.googleSoftware : []
        let builtIn = TrustAnchor.appAttest + TrustAnchor.appAttestReceipt + TrustAnchor.googleHardware
        return (builtIn + software + own + testRoots).filter { seen.insert($0).inserted }
    }
}

extension AnchorFacts {
    package init(_ anchor: TrustAnchor) {
        self.init(
            name: anchor.name, publisher: anchor.publisher, spkiSHA256: anchor.publicKeySHA256,
            certificateSHA256: anchor.certificateSHA256, simulated: anchor.simulated)
    }
}
