package import AssayCertificates
package import AssayCore

/// Appraises registered Android devices again at each use: under today's anchors, policy and revocation list, over the facts of
/// their attestation. A device is refused once its root is removed, its chain is revoked or its patch level is too old, and
/// accepted again once a suspension is lifted.
package struct AndroidDeviceAppraiser: RegisteredDeviceAppraiser {
    package let format: EvidenceFormat = KeyAttestationVerifier.format

    private let anchors: [TrustAnchor]
    private let policy: AndroidPolicy

    package init(anchors: [TrustAnchor], policy: AndroidPolicy) { (self.anchors, self.policy) = (anchors, policy) }

    package var offline: OfflineRule? { policy.offline }

    package func judge(
        _ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let registration = device.registration
        appraisal.simulated = appraisal.simulated || registration.simulated
        let facts = try appraisal.check("registration") { () throws(Rejection) in
            guard registration.format == format, let facts = registration.facts({ KeyFacts($0).map(RegisteredFacts.init) })
            else {
                throw Rejection(.unknownDevice, "the device was not registered by a key attestation")
            }
            return facts.key
        }
        let anchor = try appraisal.attempt("chain_anchor") { () throws(Rejection) in
            guard let anchor = anchors.first(where: { $0.publicKeySHA256.equals(registration.anchor) }) else {
                throw Rejection(
                    .untrustedRoot, "the registration's anchor \(Hex.short(registration.anchor)) is no longer trusted")
            }
            return anchor
        }
        appraisal.simulated = appraisal.simulated || anchor?.simulated == true
        appraisal.claims.add("security_level", .text(facts.level.name))
        appraisal.claims.add("provisioning", .text(facts.provisioning.rawValue))
        appraisal.claims.add("packages", facts.application.map { .texts($0.packages.map(\.name)) })
        try RevocationCheck(knowledge: context.facts.revocation, allowsSuspended: policy.allowsSuspended)
            .judge(registration.chainSerials, in: &appraisal)
        try policy.denied.judge(
            serials: registration.chainSerials,
            keys: [registration.keyID, registration.attestationKey, registration.anchor], in: &appraisal)
        try policy.judgeVersions(facts, isNew: false, in: &appraisal)
        try policy.judgeLevel(facts, in: &appraisal)
        try policy.judge(facts, at: context.now, in: &appraisal)
        appraisal.assurance = facts.assurance
        appraisal.platform = .android
    }
}

/// The facts of a registered key, as its registration keeps them.
private final class RegisteredFacts: Sendable {
    let key: KeyFacts

    init(_ key: KeyFacts) { self.key = key }
}
