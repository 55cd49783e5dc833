import AndroidKeyAttestation
import AppAttest
package import AssaySchemes
import CertificateBundle
import DeviceCheck
import KeySignature
import PlayIntegrity
import SafetyNet

/// The platforms of this build. A new platform is one folder under `Sources/Verifiers` and one line here.
///
/// The order is that in which an app's sections count for its policy digest, so a new line goes to the end.
package let builtInSchemes: [any AttestationScheme.Type] = [
    AppAttestScheme.self, AndroidKeyAttestationScheme.self, PlayIntegrityScheme.self, DeviceCheckScheme.self,
    KeySignatureScheme.self, SafetyNetScheme.self, CertificateBundleScheme.self,
]
