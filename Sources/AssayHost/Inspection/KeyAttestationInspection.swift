import AndroidKeyAttestation
import AssayCertificates
import AssayCore
import AssayEncoding

/// Appraises Android chains for an inspection: under an app's policy, or with the platform's own checks only.
struct KeyAttestationInspection {
    private let verifier: KeyAttestationVerifier
    private let hasApp: Bool
    /// The app runs without a revocation list.
    private let needsNoRevocation: Bool

    init(_ app: Configuration.App?, testRoots: [TrustAnchor]) {
        if let section = app?.android {
            verifier = KeyAttestationVerifier(
                anchors: section.anchors(with: testRoots), policy: section.policy, links: LinkCache())
            hasApp = true
            if case .none = section.revocation { needsNoRevocation = true } else { needsNoRevocation = false }
        } else {
            verifier = KeyAttestationVerifier(
                anchors: TrustAnchor.googleHardware + testRoots, policy: AndroidPolicy(apps: nil), links: LinkCache())
            (hasApp, needsNoRevocation) = (false, false)
        }
    }

    /// The certificates of a PEM file.
    static func certificates(_ bytes: [UInt8]) -> [[UInt8]] {
        (try? PEM.decode(String(decoding: bytes, as: UTF8.self))) ?? []
    }

    func judge(_ input: InspectionInput) -> (findings: [Finding], remarks: [String]) {
        var examination = Examination()
        if input.clientData == nil { examination.leaveOut("challenge", because: Examination.wholeClientData) }
        if !hasApp { examination.leaveOut("attested_app", because: Examination.app) }
        let evidence = Evidence(
            format: .keyAttestation, keyID: input.keyID ?? [], parts: Self.certificates(input.bytes).map { $0[...] })
        let context = AppraisalContext(
            binding: input.clientData.map { Binding(embedded: $0) } ?? Binding(callerOwned: []),
            facts: Facts(revocation: revocation(input)), now: input.now, examination: examination)
        return (verifier.appraise(evidence, in: context).findings, [])
    }

    private func revocation(_ input: InspectionInput) -> RevocationKnowledge {
        if let list = input.revocation { return .snapshot(list) }
        return needsNoRevocation ? .notConsulted : .unavailable(Examination.revocation)
    }
}
