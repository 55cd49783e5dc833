package import AssayAPI
package import AssayCertificates
package import AssayCore
package import AssayPlugins
package import AssaySchemes
package import AssayTraceExport
package import AssayVendors

/// The part of the configuration that a running daemon follows: a reload exchanges all of it, or nothing.
///
/// Each property is followed by a reload step of the daemon; a test fails for one that is not.
package struct LiveConfiguration: Sendable {
    package var callers: CallerDirectory
    /// How often callers, apps, addresses and devices may ask; apps may set other rates.
    package var rates: RateRules
    package var apps: [AppConfiguration]
    /// Roots of test authorities. What is trusted through one of them stays `simulated`.
    package var testRoots: [TrustAnchor]
    package var tls: TLSSettings?
    package var log: LogSettings
    /// What the operations addresses answer to peers that are no callers.
    package var operate: OperateSettings
    /// Which calls are traced, and where the traces go; `nil`: none are.
    package var traces: TraceExportSettings?
    /// Which verdicts are recorded, and where.
    package var verdicts: VerdictSettings
    /// Who gets events by HTTP, in the order of the names.
    package var webhooks: [WebhookSettings] = []
    /// How fast registered devices are judged again.
    package var reappraisal = ReappraisalSettings()
    /// How vendors' services are talked to.
    package var vendors: VendorSettings
    package var appleTeams: AppleTeams
    package var revocationLists: RevocationLists
    /// The CAs that issue device certificates; `nil`: none do.
    package var provisioning: ProvisioningSettings?
    /// Who signs results, and with which keys; `nil`: none are signed.
    package var results: ResultSettings?
    /// The catalog's entries, in the order of their ids.
    package var plugins: [PluginEntry]
    /// The platforms whose sections were read.
    package var schemes: [any AttestationScheme.Type]
    /// SHA-256 over the text of the file and what the files that it names contain: identifies what is in force.
    package var digest: [UInt8]

    /// The digest as it is shown everywhere.
    package var digestText: String { Hex.encode(digest) }
}

/// The PEM files with which the daemon shows who it is, and knows its callers: the section `tls`.
package struct TLSSettings: Hashable, Sendable {
    /// The daemon's certificate, then its intermediates.
    package var certificate: String
    package var privateKey: String
    /// The CAs that callers' certificates must come from.
    package var clientCA: String
}

extension LiveConfiguration {
    /// Every anchor that some app trusts, once.
    package var anchors: [TrustAnchor] {
        var seen: Set<TrustAnchor> = []
        let sections = apps.flatMap(\.allSections).map(\.section)
        var anchors = schemes.flatMap { $0.anchors }
        anchors += sections.flatMap(\.softwareRoots)
        anchors += sections.flatMap(\.extraRoots)
        return (anchors + testRoots).filter { seen.insert($0).inserted }
    }
}

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
            let shadows = (app.shadow?.sections ?? []).map {
                ($0.section, value.at(app.id.text, "shadow", $0.key, "extra_roots"))
            }
            for (section, place) in app.sections.map({ ($0.section, value.at(app.id.text, $0.key, "extra_roots")) }) + shadows {
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

/// A service outside of the machine that the daemon asks, and for which apps.
package struct OutsideService: Hashable, Sendable {
    package let call: ServiceCall
    package var apps: [String]

    package var description: String { "asks \(call.address) for \(call.purpose.words) (\(apps.joined(separator: ", ")))" }
}

extension LiveConfiguration {
    /// Every service outside that is asked, in the order of the apps that need it. Nothing else is called.
    package var outsideServices: [OutsideService] {
        var services: [OutsideService] = []
        for app in apps {
            for call in app.sections.flatMap(\.section.serviceCalls) {
                if let known = services.firstIndex(where: { $0.call == call }) {
                    if !services[known].apps.contains(app.id.text) { services[known].apps.append(app.id.text) }
                } else {
                    services.append(OutsideService(call: call, apps: [app.id.text]))
                }
            }
        }
        return services
    }
}

extension LiveConfiguration {
    /// What judges an app under this configuration: one of its apps, or of their shadows.
    package func policy(of app: AppConfiguration) -> AppPolicy {
        app.policy(testRoots: testRoots, deviceAuthorities: provisioning?.anchors ?? [])
    }
}
