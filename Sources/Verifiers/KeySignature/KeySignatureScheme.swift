package import AssayCore
import AssaySchemes

/// Signatures by registered keys: for apps with a platform whose registered keys sign messages.
package enum KeySignatureScheme: AttestationScheme {
    package static func verifiers(with appraisers: [any RegisteredDeviceAppraiser]) -> [any EvidenceVerifier] {
        let judges = appraisers.filter(\.signsMessages)
        return judges.isEmpty ? [] : [KeySignatureVerifier(judges: judges)]
    }
}
