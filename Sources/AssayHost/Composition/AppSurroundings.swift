import AssayCertificates
import AssayCore
import AssayFeeds
import AssayService
import Logging

/// What the apps of one configuration share: roots of tests, lists, and the ways to vendors.
struct AppSurroundings: Sendable {
    let testRoots: [TrustAnchor]
    let links: LinkCache
    /// Google's list of revoked attestation certificates.
    let attestationStatus: RevocationFeed
    let google: Configuration.Google
    let client: VendorClient
    let clock: any WallClock
    let logger: Logger
}
