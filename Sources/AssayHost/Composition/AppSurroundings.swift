import AssayCertificates
import AssayFeeds

/// What the apps of one configuration share: roots of tests, lists, and the services of vendors.
struct AppSurroundings: Sendable {
    let testRoots: [TrustAnchor]
    let links: LinkCache
    /// Google's list of revoked attestation certificates.
    let attestationStatus: RevocationFeed
    let apple: AppleServices
    let google: GoogleServices
}
