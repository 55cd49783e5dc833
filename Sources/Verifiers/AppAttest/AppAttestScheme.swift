package import AssayCertificates
package import AssaySchemes

/// App Attest: keys in the Secure Enclave of Apple's devices, attested by Apple's servers. An attestation registers a device, whose
/// assertions carry a counter; receipts say how many keys a device had attested lately.
package enum AppAttestScheme: AttestationScheme {
    package static let sectionKey: String? = "app_attest"
    package static let registersDevices = true

    package static func read(_ value: ConfigurationReader.Value, _ shared: SharedSettings) -> (any SchemeSection)? {
        AppAttestSection(reading: value, shared)
    }

    package static let services = [receipts]

    /// Exchanges receipts for newer ones. Apple's page shows the team's token alone; `bearer` puts it behind `Bearer`.
    static let receipts = VendorServiceDeclaration(
        "receipts", of: .apple, production: "data.appattest.apple.com", development: "data-development.appattest.apple.com",
        choices: ["authorization": ["bare", "bearer"]])

    package static var anchors: [TrustAnchor] { TrustAnchor.appAttest + TrustAnchor.appAttestReceipt }

    package static var inspectedForms: String? { "App Attest attestations, assertions and receipts, as they are or in Base64" }
    package static let inspectors: [any EvidenceInspector] = [AttestationInspector(), AssertionInspector(), ReceiptInspector()]

    package static var vectorRunners: [any VectorRunner] {
        [AppAttestAttestationVectorRunner(), AppAttestAssertionVectorRunner(), ReceiptVectorRunner()]
    }
}
