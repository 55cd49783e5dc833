import AppAttest
import AssayCertificates
import AssayCore
import AssayService
import Crypto

/// The verifiers that an inspection judges with: an app's, or the platform's own checks.
struct InspectionPolicy {
    private let attestations: AppAttestAttestationVerifier
    private let assertions: AppAttestAssertionVerifier
    private let receipts: ReceiptVerifier
    private let identities: [AppAttestIdentity]
    private let anchors: [TrustAnchor]
    private let assumed: [String]

    init(_ app: Configuration.App?, testRoots: [TrustAnchor], evidence: [UInt8]) {
        var identities: [AppAttestIdentity] = []
        // Of a device's counters an inspection knows the highest at most.
        var policy = AppAttestPolicy(counterRule: .strictlyIncreasing)
        var assumed: [String] = []
        if let section = app?.appAttest {
            identities = section.identities
            policy = section.policy
            anchors = section.anchors(with: testRoots)
        } else {
            anchors = TrustAnchor.appAttest + testRoots
            let all = Set(AppAttestEnvironment.allCases)
            let named =
                AppAttestExplanation.rpIDHash(of: evidence[...]) ?? AppAttestExplanation.rpIDHash(ofReceipt: evidence[...])
            if let hash = named,
                let identity = AppAttestIdentity(rpIDHash: hash, platform: .iOS, environments: all)
            {
                identities = [identity]
            }
            assumed.append("No app was named: any App ID and either environment are taken for allowed.")
        }
        self.assumed = assumed
        self.identities = identities
        let receiptAnchors = app?.appAttest?.receiptAnchors(with: testRoots) ?? TrustAnchor.appAttestReceipt + testRoots
        receipts = ReceiptVerifier(anchors: receiptAnchors, links: LinkCache())
        attestations = AppAttestAttestationVerifier(
            identities: identities, anchors: anchors, receiptAnchors: receiptAnchors, policy: policy, links: LinkCache())
        assertions = AppAttestAssertionVerifier(identities: identities, anchors: anchors, policy: policy)
    }

    func judge(attestation input: InspectionInput) -> (findings: [Finding], remarks: [String]) {
        var remarks = assumed
        let certified = AppAttestExplanation.keyID(ofAttestation: input.bytes[...])
        if input.keyID == nil, certified != nil { remarks.append("The key id was not given, so the certified key's is taken.") }
        // Where no certificate can be read, no key id would be right: the checks end before it is looked at.
        let keyID = input.keyID ?? certified ?? [UInt8](repeating: 0, count: SHA256.byteCount)
        let evidence = Evidence(format: .appAttestAttestation, keyID: keyID, body: input.bytes)
        let findings = judge(evidence, by: attestations, device: nil, input, until: "nonce", &remarks)
        return (findings, remarks)
    }

    func judge(assertion input: InspectionInput) -> (findings: [Finding], remarks: [String]) {
        var remarks = assumed
        guard let publicKey = input.publicKey else {
            remarks.append("An assertion does not hold its key: give the registered one to have it judged.")
            return ([], remarks)
        }
        guard let hash = AppAttestExplanation.rpIDHash(of: input.bytes[...]),
            let device = Device.assumed(
                key: publicKey, rpIDHash: hash, anchors: anchors, counter: input.counter, at: input.now)
        else { return ([], remarks) }
        let evidence = Evidence(
            format: .appAttestAssertion, keyID: device.registration.keyID, body: input.bytes)
        remarks.append("The device is taken for registered in production, under this App ID and the first anchor.")
        let findings = judge(evidence, by: assertions, device: device, input, until: "signature", &remarks)
        return (findings, remarks)
    }

    /// A receipt is judged as one that arrives at the time of judgement, however old it is.
    func judge(receipt input: InspectionInput) -> (findings: [Finding], remarks: [String]) {
        guard let hash = AppAttestExplanation.rpIDHash(ofReceipt: input.bytes[...]) else { return ([], assumed) }
        let identity = identities.first { $0.rpIDHash == hash } ?? identities.first
        let expected = ReceiptExpectation(
            rpIDHash: identity?.rpIDHash ?? [], publicKey: input.publicKey, clientDataHash: input.clientDataHash)
        return (receipts.appraise(input.bytes[...], against: expected, .arriving(input.now)).findings, assumed)
    }

    /// Without the client data nothing can be said from the check `bound` on: the findings end before it.
    private func judge(
        _ evidence: Evidence, by verifier: some EvidenceVerifier, device: Device?, _ input: InspectionInput,
        until bound: String, _ remarks: inout [String]
    ) -> [Finding] {
        let binding = Binding(callerOwned: input.clientDataHash ?? [])
        let appraisal = verifier.appraise(
            evidence, in: AppraisalContext(binding: binding, device: device, now: input.now))
        guard input.clientDataHash == nil, let index = appraisal.findings.firstIndex(where: { $0.check == bound }) else {
            return appraisal.findings
        }
        remarks.append(
            "The client data were not given: whether the evidence is bound to them, and all after it, is not judged.")
        return Array(appraisal.findings[..<index])
    }
}
