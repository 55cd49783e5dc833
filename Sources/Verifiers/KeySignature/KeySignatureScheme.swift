package import AssayCore
package import AssaySchemes

/// Signatures by registered keys: for apps with a platform whose registered keys sign messages.
package enum KeySignatureScheme: AttestationScheme {
    package static func verifiers(
        _ dependencies: SchemeDependencies, with appraisers: [any RegisteredDeviceAppraiser]
    ) -> [any EvidenceVerifier] {
        let judges = appraisers.filter(\.signsMessages)
        return judges.isEmpty ? [] : [KeySignatureVerifier(judges: judges)]
    }
}
