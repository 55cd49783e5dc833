import AssayCertificates
package import AssayCore
package import AssaySchemes

/// Bundles that cameras sign with the keys of their device certificates, and the renewal of such certificates.
package enum CertificateBundleScheme: AttestationScheme {
    package static let sectionKey: String? = "certificate_bundle"

    package static func read(_ value: ConfigurationReader.Value, _ shared: SharedSettings) -> (any SchemeSection)? {
        CertificateBundleSection(reading: value, shared)
    }

    /// Certificates are renewed in every app: whether one was issued is the registry's word. Fleets have no section of evidence.
    package static func verifiers(
        _ dependencies: SchemeDependencies, with appraisers: [any RegisteredDeviceAppraiser]
    ) -> [any EvidenceVerifier] {
        [
            CertificateSignatureVerifier(
                judges: [FleetDeviceAppraiser()] + appraisers,
                issuers: Set(dependencies.deviceAuthorities.map(\.publicKeySHA256)))
        ]
    }

    package static var inspectedForms: String? { "certificate bundles in JSON" }
    package static var inspectors: [any EvidenceInspector] { [CertificateBundleInspector()] }
    package static var vectorRunners: [any VectorRunner] { [CertificateBundleVectorRunner()] }
}
