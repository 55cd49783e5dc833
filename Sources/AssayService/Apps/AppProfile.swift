package import AssayCore
package import AssayResults
import Synchronization

/// One app of the configuration: the evidence that it accepts, the verifiers of that evidence, and how evidence may be bound.
///
/// A class, because every request refers to it: one reference count in place of one for each part.
package final class AppProfile: Sendable {
    package let id: AppID
    /// What its challenges say of it.
    let challengeScope: ChallengeScope
    /// By format. Other formats are not accepted.
    package let verifiers: [EvidenceFormat: any EvidenceVerifier]
    /// What judges registered devices again, by the format that they were registered with.
    package let deviceAppraisers: [EvidenceFormat: any RegisteredDeviceAppraiser]
    /// The sources outside that are asked about evidence, by format.
    package let answerSources: [EvidenceFormat: any AnswerSource]
    /// The plugins that are asked about evidence, by format.
    package let opinionSources: [EvidenceFormat: any OpinionSource]
    /// What makes what devices need before they can make evidence, by the format of the evidence.
    package let preparers: [EvidenceFormat: any EvidencePreparer]
    /// Formats of plugins that cannot be judged now, each with the reason: their plugin has not said yet what it judges, and how.
    package let unavailableFormats: [EvidenceFormat: String]
    /// The list of revoked certificates; `nil` for an app that consults none.
    package let revocation: (any RevocationSource)?
    /// The formats whose appraisal needs that list.
    private let listedFormats: Set<EvidenceFormat>
    /// Formats whose provider was turned off: fresh evidence cannot exist.
    package let discontinuedFormats: Set<EvidenceFormat>
    /// Kinds of evidence that a registration must hold together.
    package let requiredTogether: Set<EvidenceFormat>
    /// Whether some evidence of the app is not bound to challenges, so that its uses are spent too.
    let hasUnboundEvidence: Bool
    /// Whether some evidence of the app is a statement of its own, which takes no challenge.
    let hasStatements: Bool
    /// Whether some evidence of the app has tokens of its own in place of a challenge.
    let hasOwnTokens: Bool
    /// Whether some evidence is a part of a payload.
    let hasParts: Bool
    package let challenges: ChallengeRule
    package let binding: BindingRule
    /// How many devices a subject may have; `nil`: any number. Registrations without a subject are not counted.
    package let devicesPerSubject: UInt32?
    /// Which device a registration may retire.
    package let replacement: ReplacementRule
    /// SHA-256 of everything in the configuration that bears on a verdict.
    package let policyDigest: [UInt8]
    /// Whether the claims of accepted verdicts are kept beside the audit log.
    package let keepsAuditClaims: Bool
    /// Whether evidence that rests on a test root may be accepted. Otherwise it is refused.
    package let acceptsSimulated: Bool
    /// What follows from flags of devices.
    package let deviceFlags: DeviceFlagRule
    /// How confidence in captures is made of attestation and signals; `nil`: it is not.
    package let confidence: ConfidenceRule?
    /// How certificates are issued to the app's devices; `nil`: none are.
    package let issuing: IssuingRule?
    /// How devices of the app's fleet are provisioned; `nil`: the app has no fleet.
    package let fleet: Fleet?
    /// Which keys of the configuration decide the app's checks: for operators.
    package let policyKeys: PolicyKeys
    /// Which verdicts are recorded with what they went by; `nil`: none are.
    package let recording: RecordingRule?
    /// A second policy of the app, which judges the same requests after the answer and decides nothing; `nil`: there is none.
    package let shadow: AppProfile?
    /// How long accepted verdicts can be found by the hash of what the device signed; `nil`: they cannot. It bears on no verdict.
    package let lookup: LookupRule?
    /// How payloads are uploaded in chunks; `nil`: they are not. It bears on no verdict.
    package let uploads: UploadRule?
    /// Makes the signed results that its verdicts may have; `nil`: they have none. It bears on no verdict, and is no part of the policy digest.
    package let results: ResultComposer?
    /// Which rejections are enforced. It bears on no verdict.
    package let enforcement: EnforcementRule
    /// Whether something goes on with a request after its answer.
    let isFollowed: Bool

    /// - Parameter listedFormats: the formats whose appraisal needs the list of revoked certificates; `nil`: all of the app's.
    package init(
        id: AppID, verifiers: [any EvidenceVerifier], deviceAppraisers: [any RegisteredDeviceAppraiser] = [],
        answerSources: [EvidenceFormat: any AnswerSource] = [:],
        opinionSources: [EvidenceFormat: any OpinionSource] = [:],
        preparers: [EvidenceFormat: any EvidencePreparer] = [:], unavailableFormats: [EvidenceFormat: String] = [:],
        revocation: (any RevocationSource)? = nil, listedFormats: Set<EvidenceFormat>? = nil,
        discontinuedFormats: Set<EvidenceFormat> = [], requiredTogether: Set<EvidenceFormat> = [],
        challenges: ChallengeRule = ChallengeRule(),
        binding: BindingRule = BindingRule(), devicesPerSubject: UInt32? = nil,
        replacement: ReplacementRule = .ofSubject, policyDigest: [UInt8],
        keepsAuditClaims: Bool = false, acceptsSimulated: Bool = false, confidence: ConfidenceRule? = nil,
        issuing: IssuingRule? = nil, fleet: Fleet? = nil, policyKeys: PolicyKeys = PolicyKeys(),
        recording: RecordingRule? = nil, lookup: LookupRule? = nil, shadow: AppProfile? = nil,
        results: ResultComposer? = nil, uploads: UploadRule? = nil, deviceFlags: DeviceFlagRule = DeviceFlagRule(),
        enforcement: EnforcementRule = EnforcementRule()
    ) {
        self.id = id
        challengeScope = ChallengeScope(id)
        self.verifiers = Dictionary(verifiers.map { ($0.format, $0) }, uniquingKeysWith: { _, last in last })
        self.deviceAppraisers = Dictionary(
            deviceAppraisers.map { ($0.format, $0) }, uniquingKeysWith: { first, _ in first })
        self.answerSources = answerSources
        (self.opinionSources, self.preparers) = (opinionSources, preparers)
        self.unavailableFormats = unavailableFormats
        self.revocation = revocation
        self.listedFormats = listedFormats ?? Set(verifiers.map(\.format))
        self.discontinuedFormats = discontinuedFormats
        self.requiredTogether = requiredTogether
        hasUnboundEvidence = verifiers.contains { $0.replayProtection.remembersUseFor != nil }
        hasStatements = verifiers.contains { $0.replayProtection == .statement }
        hasOwnTokens = verifiers.contains { $0.replayProtection == .ownTokens }
        hasParts = verifiers.contains { $0.replayProtection == .payload }
        self.challenges = challenges
        self.binding = binding
        (self.devicesPerSubject, self.replacement) = (devicesPerSubject, replacement)
        self.policyDigest = policyDigest
        self.keepsAuditClaims = keepsAuditClaims
        self.acceptsSimulated = acceptsSimulated
        self.confidence = confidence
        (self.issuing, self.fleet, self.policyKeys) = (issuing, fleet, policyKeys)
        (self.recording, self.lookup, self.shadow, self.results) = (recording, lookup, shadow, results)
        (self.uploads, self.deviceFlags, self.enforcement) = (uploads, deviceFlags, enforcement)
        isFollowed = recording != nil || shadow != nil
    }
}

extension AppProfile {
    /// Evidence that the app cannot judge for now, so that its callers are answered UNAVAILABLE.
    struct Outage: Hashable, Sendable {
        let formats: [EvidenceFormat]
        let reason: String
    }

    /// What the app cannot judge at `now`: evidence whose list of revoked certificates is missing, or whose answer source fails.
    func outages(at now: Timestamp) -> [Outage] {
        var outages: [Outage] = []
        if !listedFormats.isEmpty, let why = revocation?.knowledge(at: now).unavailable {
            outages.append(Outage(formats: listedFormats.sorted { $0.rawValue < $1.rawValue }, reason: why))
        }
        for (format, source) in answerSources.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if let why = source.outage(at: now) { outages.append(Outage(formats: [format], reason: why)) }
        }
        for (format, source) in opinionSources.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let why = source.outage(at: now) ?? unavailableFormats[format]
            if let why { outages.append(Outage(formats: [format], reason: why)) }
        }
        return outages
    }

    /// Whether an outside service may be asked before the request is judged: the request then waits for it.
    func asksOutside(about request: VerificationRequest) -> Bool {
        (!answerSources.isEmpty && request.evidence.contains { answerSources[$0.format] != nil })
            || (!opinionSources.isEmpty && request.evidence.contains { opinionSources[$0.format]?.decides ?? false })
    }
}

extension CallerOwnedRule {
    /// How long a use of the verifier's evidence is remembered, in milliseconds: by this rule, and never for less than the
    /// verifier asks for or than the evidence can be judged good again. `nil`: such evidence is refused.
    func remembersUse(of verifier: (any EvidenceVerifier)?) -> Int64? {
        guard let spendEvidenceFor else { return nil }
        // The clock by which evidence is judged may be behind that by which its use is forgotten.
        let lifetime = verifier?.replayProtection.acceptableFor.map { $0 + Freshness.skew }
        return max(spendEvidenceFor, verifier?.replayProtection.remembersUseFor ?? 0, lifetime ?? 0)
    }
}

/// An app's fleet: how its devices are provisioned, and with which secrets.
package struct Fleet: Sendable {
    package let rule: FleetRule
    package let secrets: FleetSecrets

    package init(_ rule: FleetRule, _ secrets: FleetSecrets) { (self.rule, self.secrets) = (rule, secrets) }
}

/// The apps of the configuration.
package struct AppDirectory: Sendable {
    private let profiles: [AppID: AppProfile]

    package init(_ profiles: [AppProfile]) {
        self.profiles = Dictionary(profiles.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
    }

    package subscript(app: AppID) -> AppProfile? { profiles[app] }

    /// The apps of the configuration in force.
    package final class Slot: Sendable {
        private let apps = Mutex(AppDirectory([]))
        package init() {}
        package var value: AppDirectory {
            get { apps.withLock { $0 } }
            set { apps.withLock { $0 = newValue } }
        }
    }

    /// By name.
    package var all: [AppProfile] { profiles.values.sorted { $0.id.text < $1.id.text } }
}
