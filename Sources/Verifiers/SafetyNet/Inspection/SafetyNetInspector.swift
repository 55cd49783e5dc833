import AssayCertificates
import AssayCore
import AssaySchemes

/// Inspects stored responses, by the requirements of the time when SafetyNet was in service.
struct SafetyNetInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: "safetynet.jws")

    /// A token in compact serialisation begins with its header, a JSON object in base64url; signed ones have three parts.
    let recognition = InspectedKind.Recognition.beginning { bytes in
        bytes.starts(with: "eyJ".utf8) && bytes.count(where: { $0 == UInt8(ascii: ".") }) <= 2
    }

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation { SafetyNetExplanation.response(bytes[...]) }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        let verifier = SafetyNetVerifier(anchors: TrustAnchor.safetyNet, policy: SafetyNetPolicy())
        let nonce = input.clientData ?? input.clientDataHash
        var examination = Examination()
        if nonce == nil { examination.leaveOut("nonce", because: "the nonce was not given (--client-data)") }
        let findings = verifier.appraise(
            Evidence(format: .safetyNet, keyID: [], body: input.bytes),
            in: AppraisalContext(binding: Binding(callerOwned: nonce ?? []), now: input.now, examination: examination)
        ).findings
        return InspectionResult(
            findings,
            remarks: ["No response can be fresh: give the time at which it was received (--at), kept elsewhere than in it."])
    }

    /// Checks that the chains of all platforms share have one description.
    func meaning(of check: String) -> String? { SafetyNetCheck.meaning(of: check) ?? ChainCheck.meaning(of: check) }
}
