/// How levels are made of attestation and signals (`docs/confidence.md`).
public enum ConfidenceProfile: String, CaseIterable, Hashable, Sendable {
    /// A table over three checks.
    case mvp
    /// A weighted score with cross-validation and ceilings.
    case weighted
}

/// An app's rule of confidence: its profile, its numbers, and the level that it demands.
public struct ConfidenceRule: Hashable, Sendable {
    /// The lowest scores of the levels; below `low` the level is `suspicious`. They do not rise from `high` to `low`.
    public struct Thresholds: Hashable, Sendable {
        public let high: Score
        public let mediumHigh: Score
        public let medium: Score
        public let low: Score

        /// `nil` if a lower level demands a higher score.
        public init?(high: Score, mediumHigh: Score, medium: Score, low: Score) {
            guard high >= mediumHigh, mediumHigh >= medium, medium >= low else { return nil }
            self.init(ordered: high, mediumHigh, medium, low)
        }

        private init(ordered high: Score, _ mediumHigh: Score, _ medium: Score, _ low: Score) {
            (self.high, self.mediumHigh, self.medium, self.low) = (high, mediumHigh, medium, low)
        }

        /// 0.85, 0.7, 0.5 and 0.3.
        public static let usual = Thresholds(
            ordered: Score(rounding: 850_000, over: 1), Score(rounding: 700_000, over: 1), Score(rounding: 500_000, over: 1),
            Score(rounding: 300_000, over: 1))

        func level(of score: Score) -> ConfidenceLevel {
            if score >= high { return .high }
            if score >= mediumHigh { return .mediumHigh }
            if score >= medium { return .medium }
            return score >= low ? .low : .suspicious
        }
    }

    /// 0.5.
    public static let usualPassScore = Score(rounding: 500_000, over: 1)

    public let profile: ConfidenceProfile
    public let thresholds: Thresholds
    /// The lowest score with which a signal speaks for the capture.
    public let passScore: Score
    /// Captures below this level are rejected; `nil`: the level informs only.
    public let required: ConfidenceLevel?

    public init(
        profile: ConfidenceProfile, thresholds: Thresholds = .usual, passScore: Score = Self.usualPassScore,
        required: ConfidenceLevel? = nil
    ) {
        (self.profile, self.thresholds, self.passScore, self.required) = (profile, thresholds, passScore, required)
    }

    /// The level and score of a capture under an accepted verdict.
    public func assess(_ scene: SceneAnalysis, platform: DevicePlatform?, _ hardware: HardwareAttestation) -> Confidence {
        switch profile {
        case .mvp: assessChecks(scene, platform, hardware)
        case .weighted: assessWeighted(scene, platform, hardware)
        }
    }

    /// The rejection of a capture below the level that the app demands; `nil` if it is not below.
    public func refusal(of confidence: Confidence) -> Rejection? {
        guard let required, confidence.level < required else { return nil }
        return Rejection(.confidenceTooLow, "the level is \(confidence.level.name), want at least \(required.name)")
    }

    /// Adds everything that bears on a verdict to the policy digest. What the profile does not use is left out.
    package func digest(into hash: inout FieldDigest) {
        hash.append("confidence")
        hash.append(profile.rawValue)
        hash.append(UInt64(passScore.millionths))
        hash.append(UInt64(required?.rawValue ?? 0))
        guard profile == .weighted else { return }
        for threshold in [thresholds.high, thresholds.mediumHigh, thresholds.medium, thresholds.low] {
            hash.append(UInt64(threshold.millionths))
        }
    }
}
