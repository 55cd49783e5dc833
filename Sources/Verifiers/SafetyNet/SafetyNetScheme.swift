package import AssayCertificates
package import AssayCore
package import AssaySchemes

/// SafetyNet, which Google turned off in January 2025: stored responses are inspected, and no app accepts any.
package enum SafetyNetScheme: AttestationScheme {
    package static var retiredAnchors: [TrustAnchor] { TrustAnchor.safetyNet }
    package static var discontinuedFormats: Set<EvidenceFormat> { [.safetyNet] }
    package static var inspectedForms: String? { "SafetyNet responses, which begin with eyJ" }
    package static var inspectors: [any EvidenceInspector] { [SafetyNetInspector()] }
    package static var vectorRunners: [any VectorRunner] { [SafetyNetVectorRunner()] }
}
