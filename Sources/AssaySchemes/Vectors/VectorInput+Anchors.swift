package import AssayCertificates
import AssayCore

extension VectorInput {
    /// A policy's anchors: the groups of `trusted_roots`, and `extra_roots_pem`.
    ///
    /// - Parameter usual: the group that is trusted by default.
    package func anchors(groups: [String: [TrustAnchor]], by usual: String) throws(VectorError) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for name in try texts("trusted_roots") ?? [usual] {
            guard let group = groups[name] else { throw VectorError("no group of roots is named \(name)") }
            anchors += group
        }
        for pem in try texts("extra_roots_pem") ?? [] {
            do throws(Rejection) {
                anchors.append(try TrustAnchor(name: "extra_roots_pem", pem: pem, simulated: false))
            } catch {
                throw VectorError("extra_roots_pem: \(error)")
            }
        }
        return anchors
    }
}
