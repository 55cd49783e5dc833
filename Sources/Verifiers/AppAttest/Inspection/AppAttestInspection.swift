import AssayCertificates
import AssayCore
import AssaySchemes
import Crypto

/// The verifiers that an inspection applies to App Attest evidence: an app's, or the platform's own checks.
struct AppAttestInspection {
    private let attestations: AppAttestAttestationVerifier
    private let assertions: AppAttestAssertionVerifier
    private let receipts: ReceiptVerifier
    private let identities: [AppAttestIdentity]
    private let anchors: [TrustAnchor]
    /// Whether the accepted App IDs and environments are known.
    private let hasApp: Bool

    init(of evidence: [UInt8], for subject: InspectionSubject) {
        let named = AppAttestScheme.sectionKey.flatMap { subject.sections[$0] } as? AppAttestSection
        hasApp = named != nil
        let section = named ?? Self.section(accepting: evidence)
        identities = section.identities
        anchors = section.anchors(with: subject.testRoots)
        let receiptAnchors = section.receiptAnchors(with: subject.testRoots)
        receipts = ReceiptVerifier(anchors: receiptAnchors, links: LinkCache())
        attestations = AppAttestAttestationVerifier(
            identities: identities, anchors: anchors, receiptAnchors: receiptAnchors, policy: section.policy,
            links: LinkCache())
        assertions = AppAttestAssertionVerifier(identities: identities, anchors: anchors, policy: section.policy)
    }

    /// A section that accepts the App ID in the evidence, so that the other checks continue.
    private static func section(accepting evidence: [UInt8]) -> AppAttestSection {
        let hash = AppAttestExplanation.rpIDHash(of: evidence[...]) ?? AppAttestExplanation.rpIDHash(ofReceipt: evidence[...])
        let identity = hash.flatMap {
            AppAttestIdentity(rpIDHash: $0, platform: .iOS, environments: Set(AppAttestEnvironment.allCases))
        }
        // An inspection knows at most the highest of a device's counters.
        return AppAttestSection(
            identities: identity.map { [$0] } ?? [], policy: AppAttestPolicy(counterRule: .strictlyIncreasing))
    }

    func judge(attestation input: InspectionInput) -> InspectionResult {
        var examination = examination
        if input.clientDataHash == nil {
            examination.leaveOut("nonce", "receipt_client_hash", because: Examination.clientData)
        }
        if input.keyID == nil { examination.leaveOut("key_id", because: Examination.keyID) }
        // The certified key's id, so that the credential id is compared with it. If no certificate can be read, the checks end
        // before the key id is used.
        let keyID =
            input.keyID ?? AppAttestExplanation.keyID(ofAttestation: input.bytes[...])
            ?? [UInt8](repeating: 0, count: SHA256.byteCount)
        let evidence = Evidence(format: .appAttestAttestation, keyID: keyID, body: input.bytes)
        return InspectionResult(judge(evidence, by: attestations, device: nil, input, examination))
    }

    func judge(assertion input: InspectionInput) -> InspectionResult {
        var examination = examination
        var remarks: [String] = []
        if input.clientDataHash == nil { examination.leaveOut("signature", because: Examination.clientData) }
        if input.counter == nil { examination.leaveOut("counter", because: Examination.counter) }
        if input.publicKey == nil {
            examination.leaveOut("device", "signature", "environment", "chain_anchor", because: Examination.publicKey)
        } else {
            remarks.append("The device is taken for registered in production, under this App ID and the first anchor.")
        }
        // If the key is not given, the placeholder's signature check is not judged.
        let publicKey = input.publicKey ?? [0x04] + [UInt8](repeating: 0, count: 64)
        guard let hash = AppAttestExplanation.rpIDHash(of: input.bytes[...]),
            let device = Device.assumed(
                key: publicKey, rpIDHash: hash, anchors: anchors, counter: input.counter ?? 0, at: input.now)
        else { return InspectionResult([]) }
        let evidence = Evidence(
            format: .appAttestAssertion, keyID: device.registration.keyID, body: input.bytes)
        let findings = judge(evidence, by: assertions, device: device, input, examination)
        // If an assertion reports no category, the registration's counts, which is not known here.
        guard findings.contains(where: { $0.check == "validation_category" && $0.code == ReasonCode.categoryMissing.rawValue })
        else { return InspectionResult(findings, remarks: remarks) }
        examination.leaveOut("validation_category", because: Examination.registration)
        return InspectionResult(judge(evidence, by: assertions, device: device, input, examination), remarks: remarks)
    }

    /// A receipt is appraised as one that arrives at the time of the appraisal, whatever its age.
    func judge(receipt input: InspectionInput) -> InspectionResult {
        guard let hash = AppAttestExplanation.rpIDHash(ofReceipt: input.bytes[...]) else { return InspectionResult([]) }
        var examination = Examination()
        if !hasApp { examination.leaveOut("receipt_app_id", because: Examination.app) }
        if input.publicKey == nil { examination.leaveOut("receipt_public_key", because: Examination.publicKey) }
        if input.clientDataHash == nil { examination.leaveOut("receipt_client_hash", because: Examination.clientData) }
        let identity = identities.first { $0.rpIDHash == hash } ?? identities.first
        let expected = ReceiptExpectation(
            rpIDHash: identity?.rpIDHash ?? [], publicKey: input.publicKey, clientDataHash: input.clientDataHash)
        return InspectionResult(
            receipts.appraise(input.bytes[...], against: expected, .arriving(input.now), under: examination).findings)
    }

    private var examination: Examination {
        var examination = Examination()
        if !hasApp { examination.leaveOut("app_id", "environment", because: Examination.app) }
        return examination
    }

    private func judge(
        _ evidence: Evidence, by verifier: some EvidenceVerifier, device: Device?, _ input: InspectionInput,
        _ examination: Examination
    ) -> [Finding] {
        let binding = input.clientData.map { Binding(embedded: $0) } ?? Binding(callerOwned: input.clientDataHash ?? [])
        return verifier.appraise(
            evidence,
            in: AppraisalContext(
                binding: binding, facts: Facts(device: device), now: input.now, examination: examination)
        ).findings
    }
}

/// Inspects an attestation: a CBOR map with a member `attStmt`.
struct AttestationInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: EvidenceFormat.appAttestAttestation.rawValue)
    let recognition = InspectedKind.Recognition.content("attStmt")
    let registers = true

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        AppAttestExplanation.attestation(bytes[...])
    }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        AppAttestInspection(of: input.bytes, for: subject).judge(attestation: input)
    }

    func meaning(of check: String) -> String? { AppAttestCheck.meaning(of: check) }
}

/// Inspects an assertion: a CBOR map with a member `authenticatorData`.
struct AssertionInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: EvidenceFormat.appAttestAssertion.rawValue)
    let recognition = InspectedKind.Recognition.content("authenticatorData")

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        AppAttestExplanation.assertion(bytes[...])
    }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        AppAttestInspection(of: input.bytes, for: subject).judge(assertion: input)
    }

    func meaning(of check: String) -> String? { AppAttestCheck.meaning(of: check) }
}

/// Inspects a receipt: a signed CMS message.
struct ReceiptInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: EvidenceFormat.appAttestReceipt.rawValue)
    let recognition = InspectedKind.Recognition.beginning { bytes in
        bytes.first == 0x30 && bytes.prefix(32).firstRange(of: Self.signedData) != nil
    }

    /// The object identifier of a signed CMS message (RFC 5652 §5.1), in DER.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation { AppAttestExplanation.receipt(bytes[...]) }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        AppAttestInspection(of: input.bytes, for: subject).judge(receipt: input)
    }

    func meaning(of check: String) -> String? { AppAttestCheck.meaning(of: check) }
}
