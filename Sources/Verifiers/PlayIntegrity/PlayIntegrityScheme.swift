package import AssaySchemes

/// Google's Play Integrity: statements about an app and its device, of which each token carries one.
package enum PlayIntegrityScheme: AttestationScheme {
    package static let sectionKey: String? = "play_integrity"

    /// Decodes tokens.
    static let service = VendorServiceDeclaration("play_integrity", of: .google, at: "playintegrity.googleapis.com")
    package static var services: [VendorServiceDeclaration] { [service] }

    package static func read(_ value: ConfigurationReader.Value, _ shared: SharedSettings) -> (any SchemeSection)? {
        PlayIntegritySection(reading: value, shared)
    }

    package static var inspectedForms: String? {
        "Play Integrity tokens, which begin with eyJ, and the answers of Google's service about them, in JSON"
    }
    package static var inspectors: [any EvidenceInspector] { [PlayTokenInspector(), PlayAnswerInspector()] }
    package static var vectorRunners: [any VectorRunner] { [PlayIntegrityVectorRunner()] }
}
