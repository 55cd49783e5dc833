package import AssayCertificates
package import AssaySchemes
import AssayVendors

/// Android Key Attestation: keys of Android Keystore, with a chain of certificates that describes key, device and app.
package enum AndroidKeyAttestationScheme: AttestationScheme {
    package static let sectionKey: String? = "android"
    package static let registersDevices = true

    /// Google's list of revoked attestation certificates. The greatest age is an hour at least: the service lets its answers be kept
    /// that long; and a week at most: leaked keys are revoked within days.
    package static let revocationList = RevocationListDeclaration(
        key: "google_attestation_status", name: "google-attestation-status",
        home: VendorAddress(host: "android.googleapis.com"), path: "/attestation/status", ages: 3_600_000...7 * 86_400_000,
        defaultAge: 86_400_000, copySuffix: ".attestation-status",
        purpose: ServiceCall.Purpose("revocation_list", "the list of revoked attestation certificates"))
    package static var revocationLists: [RevocationListDeclaration] { [revocationList] }

    package static func read(_ value: ConfigurationReader.Value, _ shared: SharedSettings) -> (any SchemeSection)? {
        AndroidKeyAttestationSection(reading: value, shared)
    }

    package static var anchors: [TrustAnchor] { TrustAnchor.googleHardware }
    package static var softwareAnchors: [TrustAnchor] { TrustAnchor.googleSoftware }

    package static var inspectedForms: String? { "Android chains in PEM" }
    package static var inspectors: [any EvidenceInspector] { [KeyAttestationInspector()] }
    package static var vectorRunners: [any VectorRunner] { [KeyAttestationVectorRunner()] }
}
