package import AssayCertificates
import AssaySchemes

extension LiveConfiguration {
    /// Every anchor that some app trusts, once.
    package var anchors: [TrustAnchor] {
        var seen: Set<TrustAnchor> = []
        let sections = apps.flatMap(\.sections).map(\.section)
        let anchors = schemes.flatMap { $0.anchors } + sections.flatMap(\.softwareRoots) + sections.flatMap(\.extraRoots)
        return (anchors + testRoots).filter { seen.insert($0).inserted }
    }
}
