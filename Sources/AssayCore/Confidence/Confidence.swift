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
    /// `nil` in other profiles than `suite`, and where the platform is not known.
    public let suite: SuiteAnalysis?
    /// What stands out, in the order in which it was found.
    public let notes: [ConfidenceNote]

    public init(
        platform: DevicePlatform?, level: ConfidenceLevel, score: Score?, hardware: HardwareAttestation, scene: SceneAnalysis,
        breakdown: ConfidenceBreakdown, crossValidation: CrossValidation?, suite: SuiteAnalysis? = nil,
        notes: [ConfidenceNote] = []
    ) {
        (self.platform, self.level, self.score, self.hardware) = (platform, level, score, hardware)
        (self.scene, self.breakdown, self.crossValidation) = (scene, breakdown, crossValidation)
        (self.suite, self.notes) = (suite, notes)
    }

    func noting(_ notes: [ConfidenceNote]) -> Confidence {
        Confidence(
            platform: platform, level: level, score: score, hardware: hardware, scene: scene, breakdown: breakdown,
            crossValidation: crossValidation, suite: suite, notes: notes)
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
            && a.breakdown == b.breakdown && a.crossValidation == b.crossValidation && a.suite == b.suite && a.notes == b.notes
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
    /// What Assay measured in the payload, by the name of the signal: it takes the place of the app's word. Empty unless the signals count.
    public private(set) var measured: [String: Signal.Outcome] = [:]

    /// Signals that do not count, for the reason of the status.
    public init(_ status: Status) { (self.status, documentDigest, document) = (status, [], nil) }

    /// - Parameter digest: SHA-256 of the document, which the attested signature covers.
    public init(counted document: SignalDocument, digest: [UInt8]) {
        (status, documentDigest, self.document) = (.counted, digest, document)
    }

    /// The same with what was measured. Without signals that count nothing ties a measurement to the media.
    package func with(measured: [String: Signal.Outcome]) -> SceneAnalysis {
        guard status == .counted else { return self }
        var scene = self
        scene.measured = measured
        return scene
    }

    /// Whether what counts of the document is the app's own word: all of it, unless each of its signals was measured.
    var restsOnAppsWord: Bool {
        guard let document else { return false }
        return document.signals.isEmpty || document.signals.contains { measured[$0.name] == nil }
    }
}

/// How a level and a score came about.
public struct ConfidenceBreakdown: Hashable, Sendable {
    /// One check of the profile `mvp`, or one weighted part of another profile.
    public struct Part: Hashable, Sendable {
        public let name: String
        /// Of a check; of a weighted part only `unavailable`, where it does not count.
        public let outcome: Signal.Outcome?
        public let score: Score?
        /// As in the profile's table, before missing weights are distributed.
        public let weight: Score?
        /// Score times weight over the sum of the weights that count, rounded for itself.
        public let contribution: Score?
        /// Who measured the signal; `nil` where there is none, and for what a document of version 1 states.
        public let source: SignalReading.Source?

        public init(
            name: String, outcome: Signal.Outcome? = nil, score: Score? = nil, weight: Score? = nil, contribution: Score? = nil,
            source: SignalReading.Source? = nil
        ) {
            (self.name, self.outcome, self.score) = (name, outcome, score)
            (self.weight, self.contribution, self.source) = (weight, contribution, source)
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
