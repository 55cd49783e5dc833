package import AssayCertificates

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
