import AndroidKeyAttestation
import AssayCertificates
import AssayCore
import AssayEncoding

extension FuzzTarget {
    /// A key description alone, provisioning info, and a chain in any order, explained and appraised.
    static func keyAttestation(_ bytes: [UInt8]) {
        _ = KeyAttestationExplanation.description(bytes[...])
        _ = try? RemoteKeyProvisioningInfo(bytes[...])
        let evidence = Evidence(format: .keyAttestation, keyID: [], body: bytes)
        let verifier = KeyAttestationVerifier(
            anchors: TrustAnchor.googleHardware, policy: AndroidPolicy(apps: nil), links: LinkCache())
        _ = try? verifier.locate(evidence)
        _ = verifier.appraise(evidence, in: AppraisalContext(binding: Binding(callerOwned: bytes), now: now))
        _ = KeyAttestationExplanation.chain((evidence.parts ?? []).map { Array($0) }, of: bytes[...])
    }
}
