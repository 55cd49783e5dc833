package import AssayCore
package import AssaySchemes

/// Signatures by registered keys: for apps with a platform whose registered keys sign messages.
package enum KeySignatureScheme: AttestationScheme {
    package static func verifiers(
        _ dependencies: SchemeDependencies, with appraisers: [any RegisteredDeviceAppraiser]
    ) -> [any EvidenceVerifier] {
        let judges = appraisers.filter(\.signsMessages)
        guard !judges.isEmpty else { return [] }
        var verifiers: [any EvidenceVerifier] = [KeySignatureVerifier(judges: judges)]
        if judges.contains(where: { $0.offline != nil }) {
            verifiers.append(OfflineSignatureVerifier(app: dependencies.app, judges: judges))
        }
        return verifiers
    }
}
