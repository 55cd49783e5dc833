package import AssayCertificates
package import AssayCore
package import AssayVendors
package import Logging

/// What the verifiers of all apps of one configuration share: test roots, caches, revocation lists, and the way to vendors' services.
package struct SchemeDependencies: Sendable {
    /// Roots of test authorities. What is trusted through one of them stays `simulated`.
    package let testRoots: [TrustAnchor]
    package let links: LinkCache
    /// The fetched revocation lists, by their names.
    package let revocationLists: [String: any RevocationSource]
    /// `nil` for tools, which ask no service.
    package let vendors: VendorAccess?

    package init(
        testRoots: [TrustAnchor], links: LinkCache = LinkCache(), revocationLists: [String: any RevocationSource] = [:],
        vendors: VendorAccess? = nil
    ) {
        (self.testRoots, self.links) = (testRoots, links)
        (self.revocationLists, self.vendors) = (revocationLists, vendors)
    }
}

/// The way to vendors' services, and the credentials that the configuration names.
package struct VendorAccess: Sendable {
    package let client: VendorClient
    /// By the team's id.
    package let appleTokens: [String: AppleTeamToken]
    /// Where Google issues bearer tokens.
    package let googleOAuth: VendorAddress
    /// Questions of one app that may be under way at a time.
    package let callLimit: Int
    package let clock: any WallClock
    package let logger: Logger

    package init(
        client: VendorClient, teams: [AppleTeamKey], googleOAuth: VendorAddress, callLimit: Int, clock: any WallClock,
        logger: Logger
    ) {
        (self.client, self.googleOAuth, self.callLimit) = (client, googleOAuth, callLimit)
        (self.clock, self.logger) = (clock, logger)
        appleTokens = Dictionary(
            teams.map { ($0.teamID, AppleTeamToken($0, clock: clock)) }, uniquingKeysWith: { first, _ in first })
    }
}
