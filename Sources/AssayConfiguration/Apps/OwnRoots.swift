import AssayCertificates
import AssayCore
import AssaySchemes

extension LiveConfiguration {
    /// Reports roots that are said to be genuine and not: what they vouch for would not be simulated, or would always be.
    ///
    /// - Parameters:
    ///   - value: the section `apps`.
    ///   - trust: the section `trust`, where there is one.
    static func requireOwnRoots(
        of apps: [AppConfiguration], _ testRoots: [TrustAnchor], in value: ConfigurationReader.Value,
        _ trust: ConfigurationReader.Value?, _ schemes: [any AttestationScheme.Type]
    ) {
        let tests = Set(testRoots.map(\.publicKeySHA256))
        let software = Set(schemes.flatMap { $0.softwareAnchors }.map(\.publicKeySHA256))
        for app in apps {
            for (key, section) in app.sections {
                let place = value.at(app.id.text, key, "extra_roots")
                for root in section.extraRoots {
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
        let genuine = Set(schemes.flatMap { $0.anchors }.map(\.publicKeySHA256))
        for root in testRoots where genuine.contains(root.publicKeySHA256) {
            trust?.at("test_roots")?.report("\(root.name) is a genuine root that is built in, and no test root")
        }
    }
}
