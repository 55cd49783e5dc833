import AssayCertificates
import AssayCore
import AssaySchemes

/// Runs `safetynet.jws` vectors: stored responses, at the time of the vector.
struct SafetyNetVectorRunner: VectorRunner {
    let kind = EvidenceFormat.safetyNet.rawValue

    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome {
        let input = vector.input
        guard let response = try input.text("jws") else { throw VectorError("no jws") }
        var policy = SafetyNetPolicy()
        if let seconds = try input.number("max_age_seconds", Int32.self) { policy.maxAgeMilliseconds = Int64(seconds) * 1000 }
        let demands = try input.section("policy", known: ["require_cts_profile_match", "require_basic_integrity"])
        policy.requiresCTSProfile = try demands.flag("require_cts_profile_match") ?? true
        policy.requiresBasicIntegrity = try demands.flag("require_basic_integrity") ?? true
        return judgeFully(
            SafetyNetVerifier(anchors: TrustAnchor.safetyNet, policy: policy),
            Evidence(format: .safetyNet, keyID: [], body: Array(response.utf8)),
            AppraisalContext(binding: Binding(callerOwned: try input.requiredBytes("nonce_b64")), now: vector.verifyAt))
    }
}
