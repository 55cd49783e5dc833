package import AndroidKeyAttestation
package import AssayCertificates
package import AssayVendors

extension Configuration.App {
    /// The app on Android, known by its packages and who signs them.
    package struct Android: Sendable {
        package var policy: AndroidPolicy
        /// Roots of the app's own, beside Google's.
        package var extraRoots: [TrustAnchor]
        /// Whether the roots of software attestation count, whose private keys everybody has: for emulators.
        package var trustsSoftwareRoots: Bool
        package var revocation = AndroidRevocation.google
        /// Whether a registration must bring a Play Integrity token that is bound to the attested key.
        package var requiresPlayIntegrity = false

        /// Google's roots, the app's own, and those of test authorities.
        package func anchors(with testRoots: [TrustAnchor]) -> [TrustAnchor] {
            TrustAnchor.googleHardware + extraRoots + (trustsSoftwareRoots ? TrustAnchor.googleSoftware : []) + testRoots
        }
    }
}

/// Where an app learns which attestation certificates are revoked.
package enum AndroidRevocation: Sendable {
    /// From Google's list, which the daemon keeps up to date.
    case google
    /// From a file that another program keeps up to date.
    case file(RevocationFile)
    /// Nowhere: every verdict says so.
    case none
}

extension AndroidRevocation {
    /// As the policy digest and people name it.
    package var name: String {
        switch self {
        case .google: "google"
        case .file(let file): "file \(file.path)"
        case .none: "none"
        }
    }
}
