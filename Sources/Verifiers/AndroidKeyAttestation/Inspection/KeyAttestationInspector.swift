import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySchemes

/// Inspects chains in PEM: under an app's policy, or with the platform's own checks only.
struct KeyAttestationInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: "key-attestation.chain")
    let registers = true

    let recognition = InspectedKind.Recognition.beginning { bytes in
        bytes.starts(with: "-----BEGIN".utf8) && KeyAttestationExplanation.isChain(Self.certificates(bytes))
    }

    /// The certificates of a PEM file.
    private static func certificates(_ bytes: [UInt8]) -> [[UInt8]] {
        (try? PEM.decode(String(decoding: bytes, as: UTF8.self))) ?? []
    }

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        KeyAttestationExplanation.chain(Self.certificates(bytes), of: bytes[...])
    }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        let section = AndroidKeyAttestationScheme.sectionKey.flatMap {
            subject.sections[$0] as? AndroidKeyAttestationSection
        }
        let verifier = KeyAttestationVerifier(
            anchors: section?.anchors(with: subject.testRoots) ?? TrustAnchor.googleHardware + subject.testRoots,
            policy: section?.policy ?? AndroidPolicy(apps: nil), links: LinkCache())
        var examination = Examination()
        if input.clientData == nil { examination.leaveOut("challenge", because: Examination.wholeClientData) }
        if section == nil { examination.leaveOut("attested_app", because: Examination.app) }
        let evidence = Evidence(
            format: .keyAttestation, keyID: input.keyID ?? [], parts: Self.certificates(input.bytes).map { $0[...] })
        let context = AppraisalContext(
            binding: input.clientData.map { Binding(embedded: $0) } ?? Binding(callerOwned: []),
            facts: Facts(revocation: Self.knowledge(input, section?.revocation)), now: input.now, examination: examination)
        return InspectionResult(verifier.appraise(evidence, in: context).findings)
    }

    private static func knowledge(_ input: InspectionInput, _ revocation: AndroidRevocation?) -> RevocationKnowledge {
        if let list = input.revocation { return .snapshot(list) }
        // The app runs without a list.
        if case .some(.none) = revocation { return .notConsulted }
        return .unavailable(Examination.revocation)
    }

    func meaning(of check: String) -> String? { KeyAttestationCheck.meaning(of: check) }
}
