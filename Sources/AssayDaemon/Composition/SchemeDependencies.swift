import AssayCertificates
import AssayVendors

/// What the apps of one configuration share: roots of tests, lists, and the services of vendors.
struct SchemeDependencies: Sendable {
    let testRoots: [TrustAnchor]
    let links: LinkCache
    /// Google's list of revoked attestation certificates.
    let attestationStatus: RevocationFeed
    let apple: AppleServices
    let google: GoogleServices
}
