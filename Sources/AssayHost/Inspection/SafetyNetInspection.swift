import AssayCertificates
import AssayCore
import SafetyNet

/// Judges stored responses that somebody inspects, by what was demanded of them while SafetyNet lived.
enum SafetyNetInspection {
    static func judge(_ input: InspectionInput) -> (findings: [Finding], remarks: [String]) {
        let verifier = SafetyNetVerifier(anchors: TrustAnchor.safetyNet, policy: SafetyNetPolicy())
        var remarks = ["No response can be fresh: give the time at which it was received (--at), kept elsewhere than in it."]
        let nonce = input.clientData ?? input.clientDataHash
        let findings = verifier.appraise(
            Evidence(format: .safetyNet, keyID: [], body: input.bytes),
            in: AppraisalContext(binding: Binding(callerOwned: nonce ?? []), now: input.now)
        ).findings
        guard nonce == nil, let index = findings.firstIndex(where: { $0.check == "nonce" }) else { return (findings, remarks) }
        remarks.append("The nonce was not given (--client-data): whether it is the right one, and all after it, is not judged.")
        return (Array(findings[..<index]), remarks)
    }
}
