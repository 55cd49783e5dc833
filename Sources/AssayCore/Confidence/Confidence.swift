/// The confidence in one capture: a level, a score if the profile has one, and how both came about.
///
/// It stands beside the decision. A rejected verdict has the level `rejected`, except where the level itself is the reason.
public final class Confidence: Sendable {
    /// What the attestation says the device is; `nil` if it does not say.
    public let platform: DevicePlatform?
    public let level: ConfidenceLevel
    /// After cross-validation; `nil` in the profile `mvp`, and where no signal counts.
    public let score: Score?
    public let hardware: HardwareAttestation
    public let scene: SceneAnalysis
    public let breakdown: ConfidenceBreakdown
    /// `nil` in the profile `mvp`, and where no signal counts.
    public let crossValidation: CrossValidation?

    public init(
        platform: DevicePlatform?, level: ConfidenceLevel, score: Score?, hardware: HardwareAttestation, scene: SceneAnalysis,
        breakdown: ConfidenceBreakdown, crossValidation: CrossValidation?
    ) {
        (self.platform, self.level, self.score, self.hardware) = (platform, level, score, hardware)
        (self.scene, self.breakdown, self.crossValidation) = (scene, breakdown, crossValidation)
    }

    /// That of a rejected verdict: nothing is attested, so nothing counts.
    public static func rejected(_ profile: ConfidenceProfile) -> Confidence {
        Confidence(
            platform: nil, level: .rejected, score: nil,
            hardware: HardwareAttestation(status: .notJudged, level: .none, simulated: false), scene: SceneAnalysis(.notJudged),
            breakdown: ConfidenceBreakdown(profile: profile), crossValidation: nil)
    }

    /// What a verdict with this decision may say: a rejection by anything but the level itself leaves nothing of the signals.
    func limited(by decision: Verdict.Decision) -> Confidence {
        guard case .rejected(let rejection, _) = decision, rejection.code != .confidenceTooLow else { return self }
        return .rejected(breakdown.profile)
    }
}

extension Confidence: Equatable {
    public static func == (a: Confidence, b: Confidence) -> Bool {
        a.platform == b.platform && a.level == b.level && a.score == b.score && a.hardware == b.hardware && a.scene == b.scene
            && a.breakdown == b.breakdown && a.crossValidation == b.crossValidation
    }
}

/// The signals as they were submitted, and whether they count.
public struct SceneAnalysis: Hashable, Sendable {
    public enum Status: String, CaseIterable, Hashable, Sendable {
        /// The attested signature covers the document, and its signals count.
        case counted
        case notSubmitted = "not_submitted"
        /// The attested signature does not cover the document.
        case notBound = "not_bound"
        /// The attested signature covers bytes that are not a document of signals.
        case malformed
        /// The verdict is a rejection.
        case notJudged = "not_judged"
    }

    public let status: Status
    /// SHA-256 of the document; empty unless the signals count.
    public let documentDigest: [UInt8]
    /// `nil` unless the signals count.
    public let document: SignalDocument?

    /// Signals that do not count, for the reason of the status.
    public init(_ status: Status) { (self.status, documentDigest, document) = (status, [], nil) }

    /// - Parameter digest: SHA-256 of the document, which the attested signature covers.
    public init(counted document: SignalDocument, digest: [UInt8]) {
        (status, documentDigest, self.document) = (.counted, digest, document)
    }
}

/// How a level and a score came about.
public struct ConfidenceBreakdown: Hashable, Sendable {
    /// One check of the profile `mvp`, or one weighted part of the profile `weighted`.
    public struct Part: Hashable, Sendable {
        public let name: String
        /// Of a check; of a weighted part only `unavailable`, where it does not count.
        public let outcome: Signal.Outcome?
        public let score: Score?
        /// As in the profile's table, before missing weights are distributed.
        public let weight: Score?
        /// Score times weight over the sum of the weights that count, rounded for itself.
        public let contribution: Score?

        public init(
            name: String, outcome: Signal.Outcome? = nil, score: Score? = nil, weight: Score? = nil, contribution: Score? = nil
        ) {
            (self.name, self.outcome, self.score) = (name, outcome, score)
            (self.weight, self.contribution) = (weight, contribution)
        }
    }

    public let profile: ConfidenceProfile
    public let parts: [Part]
    /// Before cross-validation.
    public let weightedScore: Score?
    /// The level that the score alone reaches.
    public let levelByScore: ConfidenceLevel?
    /// The highest level that hardware and cross-validation allow.
    public let ceiling: ConfidenceLevel?

    public init(
        profile: ConfidenceProfile, parts: [Part] = [], weightedScore: Score? = nil, levelByScore: ConfidenceLevel? = nil,
        ceiling: ConfidenceLevel? = nil
    ) {
        (self.profile, self.parts, self.weightedScore) = (profile, parts, weightedScore)
        (self.levelByScore, self.ceiling) = (levelByScore, ceiling)
    }
}
