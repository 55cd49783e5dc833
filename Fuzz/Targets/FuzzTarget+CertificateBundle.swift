import AssayCertificates
import AssayCore
import AssaySchemes
import AssaySimulator
import CertificateBundle

extension FuzzTarget {
    /// The CAs whose certificates the seeds have.
    static let cameraAuthority = try? CameraAuthority(seed: "fuzz", from: now)

    private static let bundleVerifier: (any EvidenceVerifier)? = {
        let policy = CertificateBundlePolicy()
        guard let authority = cameraAuthority, let app = AppID("fuzz"),
            let anchor = try? TrustAnchor(name: "fuzz", pem: authority.issuingPEM, simulated: true)
        else { return nil }
        let fleet = FleetSecrets(
            tables: KeyTables(masters: [7: [UInt8](repeating: 7, count: 32)]), hashKey: [UInt8](repeating: 8, count: 32))
        let dependencies = SchemeDependencies(testRoots: [], app: app, fleet: fleet)
        return CertificateBundleSection(policy: policy, authorities: [anchor]).verifiers(dependencies, with: []).first
    }()

    /// The bytes as JSON, as parts, and as a certificate's text in a bundle with fields; explained and appraised.
    static func certificateBundle(_ bytes: [UInt8]) {
        guard let verifier = bundleVerifier else { return }
        let fields = CertificateBundle.Fields(
            imageHash: [UInt8](repeating: 1, count: 32), certificate: bytes, timestamp: now.unixMilliseconds / 1000,
            signature: [UInt8](repeating: 1, count: 64))
        let pieces = [
            CertificateBundle.json(bytes).evidence, Evidence(format: .certificateBundle, keyID: [], body: bytes),
            CertificateBundle.fields(fields).evidence,
        ]
        for evidence in pieces {
            _ = try? verifier.locate(evidence)
            _ = verifier.appraise(evidence, in: AppraisalContext(binding: .inEvidence, now: now))
        }
        _ = CertificateBundleExplanation.bundle(bytes)
    }
}
