import AssayCertificates
import AssayCore
import AssaySchemes
import SafetyNet

/// Appraises stored responses for an inspection, by the requirements of the time when SafetyNet was in service.
enum SafetyNetInspection {
    static func judge(_ input: InspectionInput) -> (findings: [Finding], remarks: [String]) {
        let verifier = SafetyNetVerifier(anchors: TrustAnchor.safetyNet, policy: SafetyNetPolicy())
        let nonce = input.clientData ?? input.clientDataHash
        var examination = Examination()
        if nonce == nil { examination.leaveOut("nonce", because: "the nonce was not given (--client-data)") }
        let findings = verifier.appraise(
            Evidence(format: .safetyNet, keyID: [], body: input.bytes),
            in: AppraisalContext(binding: Binding(callerOwned: nonce ?? []), now: input.now, examination: examination)
        ).findings
        return (
            findings,
            ["No response can be fresh: give the time at which it was received (--at), kept elsewhere than in it."]
        )
    }
}
