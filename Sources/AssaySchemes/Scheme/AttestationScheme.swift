package import AssayCertificates
package import AssayCore
package import AssayVendors
package import Logging

/// One platform, as the rest of Assay sees it.
///
/// Everything else that Assay knows of a platform (parsing, checks, policy, its section of the configuration, trust anchors, inspection,
/// how its vectors run) stands in the platform's folder under `Sources/Verifiers`. One line in the list of schemes makes the platform
/// part of the daemon and of the tools. The configuration, the composition of apps, inspection and conformance are loops over that list.
///
/// Every member has a default: a platform declares what it has.
package protocol AttestationScheme: Sendable {
    // MARK: Configuration

    /// The key of the platform's section of an app: `apps.<app>.<key>`. `nil`: the platform has no section.
    static var sectionKey: String? { get }

    /// Whether evidence under the section registers devices.
    static var registersDevices: Bool { get }

    /// The keys of the section that decide checks, by the code of a failure or the name of a check; a code comes first. Keys of sections within
    /// the section are joined by dots.
    static var policyKeys: [String: String] { get }

    /// The settings of the section whose effect on a registered device its claims show, as keys of a policy's text below the section's key; what
    /// stands below them is meant too. Others can only be judged again by evidence.
    static var keysShownByClaims: Set<String> { get }

    /// Reads the platform's section of an app. Reports each problem at its value; `nil` if the section cannot be used.
    static func read(_ value: ConfigurationReader.Value, _ shared: SharedSettings) -> (any SchemeSection)?

    /// The services of the platform's vendor that the daemon may ask. Their addresses are keys of the vendor's section.
    static var services: [VendorServiceDeclaration] { get }

    /// The revocation lists that the daemon fetches for the platform: keys of the section `feeds`.
    static var revocationLists: [RevocationListDeclaration] { get }

    // MARK: Trust

    /// The genuine anchors of the platform that are built in.
    static var anchors: [TrustAnchor] { get }

    /// Genuine anchors that only tools use: those of evidence that can no longer be fresh.
    static var retiredAnchors: [TrustAnchor] { get }

    /// Anchors whose private keys are public.
    static var softwareAnchors: [TrustAnchor] { get }

    // MARK: Evidence

    /// Formats whose provider was turned off: fresh evidence cannot exist, and no app accepts any.
    static var discontinuedFormats: Set<EvidenceFormat> { get }

    /// The verifiers of evidence by registered keys, for an app whose sections give these appraisers of registered devices.
    static func verifiers(
        _ dependencies: SchemeDependencies, with appraisers: [any RegisteredDeviceAppraiser]
    ) -> [any EvidenceVerifier]

    // MARK: Tools

    /// How files of the platform are recognised, explained and appraised (`assay inspect`).
    static var inspectors: [any EvidenceInspector] { get }

    /// The platform's files that inspection knows, as a part of a sentence.
    static var inspectedForms: String? { get }

    /// How the platform's test vectors run (`assay conformance`).
    static var vectorRunners: [any VectorRunner] { get }
}

extension AttestationScheme {
    package static var sectionKey: String? { nil }
    package static var registersDevices: Bool { false }
    package static var policyKeys: [String: String] { [:] }
    package static var keysShownByClaims: Set<String> { [] }
    package static func read(_ value: ConfigurationReader.Value, _ shared: SharedSettings) -> (any SchemeSection)? { nil }
    package static var services: [VendorServiceDeclaration] { [] }
    package static var revocationLists: [RevocationListDeclaration] { [] }
    package static var anchors: [TrustAnchor] { [] }
    package static var retiredAnchors: [TrustAnchor] { [] }
    package static var softwareAnchors: [TrustAnchor] { [] }
    package static var discontinuedFormats: Set<EvidenceFormat> { [] }
    package static func verifiers(
        _ dependencies: SchemeDependencies, with appraisers: [any RegisteredDeviceAppraiser]
    ) -> [any EvidenceVerifier] { [] }
    package static var inspectors: [any EvidenceInspector] { [] }
    package static var inspectedForms: String? { nil }
    package static var vectorRunners: [any VectorRunner] { [] }
}

/// What the verifiers of all apps of one configuration share: test roots, caches, revocation lists, the way to vendors' services, and
/// Assay's own CAs. The app and its fleet differ for each.
package struct SchemeDependencies: Sendable {
    /// Roots of test authorities. What is trusted through one of them stays `simulated`.
    package let testRoots: [TrustAnchor]
    package let links: LinkCache
    /// The fetched revocation lists, by their names.
    package let revocationLists: [String: any RevocationSource]
    /// `nil` for tools, which ask no service.
    package let vendors: VendorAccess?
    /// Assay's own CAs that issue device certificates: what they issued is on record.
    package let deviceAuthorities: [TrustAnchor]
    /// The secrets of evidence that is made in two steps; `nil` for tools, since they do not leave the daemon: a verifier that needs them says
    /// that its check is unavailable, and the evidence stays unjudged.
    package let preparations: PreparationSecrets?
    /// The app whose verifiers are made; `nil` for tools.
    package var app: AppID?
    /// The secrets of the app's fleet; `nil` if it has none.
    package var fleet: FleetSecrets?

    package init(
        testRoots: [TrustAnchor], links: LinkCache = LinkCache(), revocationLists: [String: any RevocationSource] = [:],
        vendors: VendorAccess? = nil, deviceAuthorities: [TrustAnchor] = [], preparations: PreparationSecrets? = nil,
        app: AppID? = nil, fleet: FleetSecrets? = nil
    ) {
        (self.testRoots, self.links) = (testRoots, links)
        (self.revocationLists, self.vendors) = (revocationLists, vendors)
        (self.deviceAuthorities, self.preparations) = (deviceAuthorities, preparations)
        (self.app, self.fleet) = (app, fleet)
    }

    /// The same for one app.
    package func of(_ app: AppID) -> SchemeDependencies {
        var dependencies = self
        dependencies.app = app
        return dependencies
    }
}

/// The way to vendors' services, and the credentials that the configuration names.
package struct VendorAccess: Sendable {
    package let client: VendorClient
    /// By the team's id.
    package let appleTokens: [String: AppleTeamToken]
    /// Questions of one app that may be under way at a time.
    package let callLimit: Int
    package let clock: any WallClock
    package let logger: Logger

    package init(
        client: VendorClient, teams: [AppleTeamKey], callLimit: Int, clock: any WallClock, logger: Logger
    ) {
        (self.client, self.callLimit, self.clock, self.logger) = (client, callLimit, clock, logger)
        appleTokens = Dictionary(
            teams.map { ($0.teamID, AppleTeamToken($0, clock: clock)) }, uniquingKeysWith: { first, _ in first })
    }
}

/// What platforms' sections refer to elsewhere in the file: the teams and services of vendors, and the fetched lists.
package struct SharedSettings {
    package let files: ConfigurationFiles
    package let appleTeams: AppleTeams
    /// Where Google issues bearer tokens.
    package let googleOAuth: VendorAddress
    /// By the path of each service's key, such as `apple.device_check`.
    private let services: [String: VendorServiceAddresses]
    /// By the name of each list.
    private let lists: [String: RevocationListSetting]

    package init(
        files: ConfigurationFiles, appleTeams: AppleTeams, googleOAuth: VendorAddress,
        services: [String: VendorServiceAddresses], lists: [String: RevocationListSetting]
    ) {
        (self.files, self.appleTeams, self.googleOAuth) = (files, appleTeams, googleOAuth)
        (self.services, self.lists) = (services, lists)
    }

    package subscript(service: VendorServiceDeclaration) -> VendorServiceAddresses {
        services[service.path] ?? service.addresses
    }

    package subscript(list: RevocationListDeclaration) -> RevocationListSetting {
        lists[list.name] ?? RevocationListSetting(list)
    }
}
