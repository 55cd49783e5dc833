import AssayCore

@testable import AssayService

extension AppProfile {
    /// The same app, recorded or with a shadow policy.
    func followed(recording: RecordingRule? = nil, shadow: AppProfile? = nil) -> AppProfile {
        AppProfile(
            id: id, verifiers: Array(verifiers.values), deviceAppraisers: Array(deviceAppraisers.values),
            answerSources: answerSources, opinionSources: opinionSources, preparers: preparers,
            unavailableFormats: unavailableFormats,
            revocation: revocation, discontinuedFormats: discontinuedFormats, requiredTogether: requiredTogether,
            challenges: challenges, binding: binding, devicesPerSubject: devicesPerSubject, replacement: replacement,
            policyDigest: policyDigest,
            keepsAuditClaims: keepsAuditClaims, acceptsSimulated: acceptsSimulated, confidence: confidence, issuing: issuing,
            fleet: fleet, policyKeys: policyKeys, recording: recording, lookup: lookup, shadow: shadow, results: results,
            uploads: uploads, deviceFlags: deviceFlags, enforcement: enforcement)
    }
}

extension RecordingRule {
    static let all = RecordingRule()

    static var withEvidence: RecordingRule {
        var rule = RecordingRule()
        rule.keepsEvidence = true
        return rule
    }
}
