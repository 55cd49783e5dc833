package import AndroidKeyAttestation
package import AssayCertificates

extension Configuration.App {
    /// The app on Android, known by its packages and who signs them.
    package struct Android: Sendable {
        package var policy: AndroidPolicy
        /// Roots of the app's own, beside Google's.
        package var extraRoots: [TrustAnchor]
        /// Whether the roots of software attestation count, whose private keys everybody has: for emulators.
        package var trustsSoftwareRoots: Bool

        /// Google's roots, the app's own, and those of test authorities.
        package func anchors(with testRoots: [TrustAnchor]) -> [TrustAnchor] {
            TrustAnchor.googleHardware + extraRoots + (trustsSoftwareRoots ? TrustAnchor.googleSoftware : []) + testRoots
        }
    }
}
