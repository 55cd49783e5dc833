import AssayCertificates
import AssayCore
import AssaySchemes

extension Configuration {
    /// Reports roots that are said to be genuine and not: what they vouch for would not be simulated, or would always be.
    ///
    /// - Parameters:
    ///   - value: the section `apps`.
    ///   - trust: the section `trust`, where there is one.
    static func requireOwnRoots(
        of apps: [App], _ testRoots: [TrustAnchor], in value: ConfigurationReader.Value, _ trust: ConfigurationReader.Value?
    ) {
        let tests = Set(testRoots.map(\.publicKeySHA256))
        let software = Set(TrustAnchor.googleSoftware.map(\.publicKeySHA256))
        for app in apps {
            for (section, roots) in [("app_attest", app.appAttest?.extraRoots), ("android", app.android?.extraRoots)] {
                for root in roots ?? [] {
                    let place = value.at(app.id.text, section, "extra_roots")
                    if tests.contains(root.publicKeySHA256) {
                        place?.report(
                            "\(root.name) is one of \"trust.test_roots\" too: what it vouches for would not be simulated")
                    }
                    if software.contains(root.publicKeySHA256) {
                        place?.report("everybody has the private key of \(root.name); want \"trust_software_roots\"")
                    }
                }
            }
        }
        let genuine = TrustAnchor.appAttest + TrustAnchor.appAttestReceipt + TrustAnchor.googleHardware
        for root in testRoots where genuine.contains(where: { $0.publicKeySHA256 == root.publicKeySHA256 }) {
            trust?.at("test_roots")?.report("\(root.name) is a genuine root that is built in, and no test root")
        }
    }
}
