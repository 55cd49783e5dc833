package import AssayCore

/// One app as the configuration has it: what evidence it accepts and by whom it is judged, and how evidence may be bound.
///
/// A class, because every request holds on to it: one count to keep, not one for each part.
package final class AppProfile: Sendable {
    package let id: AppID
    /// By format. What is not here is not accepted.
    package let verifiers: [EvidenceFormat: any EvidenceVerifier]
    package let challenges: ChallengeRule
    package let binding: BindingRule
    /// How many devices a subject may have; `nil`: any number. Registrations without a subject are not counted.
    package let devicesPerSubject: UInt32?
    /// SHA-256 of everything in the configuration that bears on a verdict.
    package let policyDigest: [UInt8]
    /// Whether the claims of accepted verdicts are kept beside the audit log.
    package let keepsAuditClaims: Bool

    package init(
        id: AppID, verifiers: [any EvidenceVerifier], challenges: ChallengeRule = ChallengeRule(),
        binding: BindingRule = BindingRule(), devicesPerSubject: UInt32? = nil, policyDigest: [UInt8],
        keepsAuditClaims: Bool = false
    ) {
        self.id = id
        self.verifiers = Dictionary(verifiers.map { ($0.format, $0) }, uniquingKeysWith: { _, last in last })
        self.challenges = challenges
        self.binding = binding
        self.devicesPerSubject = devicesPerSubject
        self.policyDigest = policyDigest
        self.keepsAuditClaims = keepsAuditClaims
    }
}

/// How long challenges are good, in milliseconds.
package struct ChallengeRule: Hashable, Sendable {
    /// The longest that any challenge may be good: 1 hour.
    package static let longest: UInt32 = 3_600_000
    package static let usual: UInt32 = 300_000

    package let timeToLive: UInt32
    package init(timeToLive: UInt32 = Self.usual) { self.timeToLive = timeToLive }
}

/// How the app's evidence may be bound to a request.
package struct BindingRule: Hashable, Sendable {
    /// Whether Assay's client data must bind a payload.
    package let payloadRequired: Bool
    /// Where the challenge stands in the app's own client data; `nil`: that way is not allowed.
    package let embedded: EmbeddedChallenge?
    /// Whether callers may vouch for a hash; `nil`: they may not.
    package let callerOwned: CallerOwnedRule?

    package init(payloadRequired: Bool = false, embedded: EmbeddedChallenge? = nil, callerOwned: CallerOwnedRule? = nil) {
        (self.payloadRequired, self.embedded, self.callerOwned) = (payloadRequired, embedded, callerOwned)
    }
}

/// Binding by a hash that the caller vouches for. An assertion's counter keeps it from being used twice; other evidence
/// is spent by its digest.
package struct CallerOwnedRule: Hashable, Sendable {
    /// How long the digest of evidence without a counter is remembered, in milliseconds; `nil`: such evidence is refused.
    package let spendEvidenceFor: UInt32?
    package init(spendEvidenceFor: UInt32?) { self.spendEvidenceFor = spendEvidenceFor }
}
