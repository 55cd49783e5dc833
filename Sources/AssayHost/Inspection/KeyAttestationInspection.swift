import AndroidKeyAttestation
import AssayCertificates
import AssayCore
import AssayEncoding

/// Judges chains that somebody inspects: under an app's policy, or by the platform's own checks.
struct KeyAttestationInspection {
    private let verifier: KeyAttestationVerifier
    private let assumed: [String]

    init(_ app: Configuration.App?, testRoots: [TrustAnchor]) {
        if let section = app?.android {
            verifier = KeyAttestationVerifier(
                anchors: section.anchors(with: testRoots), policy: section.policy, links: LinkCache())
            assumed = []
        } else {
            verifier = KeyAttestationVerifier(
                anchors: TrustAnchor.googleHardware + testRoots, policy: AndroidPolicy(apps: nil), links: LinkCache())
            assumed = ["No app was named: any package and signer is taken for allowed."]
        }
    }

    /// Certificates in a file of PEM.
    static func certificates(_ bytes: [UInt8]) -> [[UInt8]] {
        (try? PEM.decode(String(decoding: bytes, as: UTF8.self))) ?? []
    }

    /// Without the client data nothing can be said from the challenge on: the findings end before it.
    func judge(_ input: InspectionInput) -> (findings: [Finding], remarks: [String]) {
        let evidence = Evidence(
            format: .keyAttestation, keyID: input.keyID ?? [], body: Evidence.join(Self.certificates(input.bytes)))
        let binding = input.clientData.map { Binding(embedded: $0) } ?? Binding(callerOwned: [])
        let findings = verifier.appraise(evidence, in: AppraisalContext(binding: binding, now: input.now)).findings
        guard input.clientData == nil, let index = findings.firstIndex(where: { $0.check == "challenge" }) else {
            return (findings, assumed)
        }
        let remark =
            "The client data were not given: whether the challenge is of them, and all after it, is not judged. (Their hash is of "
            + "no use here: the chain carries them as they are.)"
        return (Array(findings[..<index]), assumed + [remark])
    }
}
