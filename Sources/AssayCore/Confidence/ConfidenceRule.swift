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
    ///
    /// - Parameter measured: outcomes that the server measured on what the device signed, by the name of the signal. Each takes the place of the
    ///   app's word.
    public func assess(
        _ scene: SceneAnalysis, platform: DevicePlatform?, _ hardware: HardwareAttestation,
        measured: [String: Signal.Outcome] = [:]
    ) -> Confidence {
        var readings = SignalReadings(scene.document)
        readings.replace(byMeasured: measured)
        return switch profile {
        case .mvp: assessChecks(scene, readings, platform, hardware)
        case .weighted: assessWeighted(scene, readings, platform, hardware)
        }
    }

    /// The rejection of a capture below the level that the app demands; `nil` if it is not below.
    public func refusal(of confidence: Confidence) -> Rejection? {
        guard let required, confidence.level < required else { return nil }
        return Rejection(.confidenceTooLow, "the level is \(confidence.level.name), want at least \(required.name)")
    }

    /// Adds everything that bears on a verdict to the policy. What the profile does not use is left out.
    package func describe(in policy: inout PolicyText) {
        policy.mark("confidence")
        policy.nested("confidence") { policy in
            policy.add("profile", profile.rawValue)
            policy.add("pass_score", hashed: UInt64(passScore.millionths), shown: "\(passScore.millionths) millionths")
            policy.add("require", hashed: UInt64(required?.rawValue ?? 0), shown: required?.name ?? "none")
            guard profile == .weighted else { return }
            let levels = [
                ("high", thresholds.high), ("medium_high", thresholds.mediumHigh), ("medium", thresholds.medium),
                ("low", thresholds.low),
            ]
            for (level, threshold) in levels {
                policy.add(
                    "thresholds.\(level)", hashed: UInt64(threshold.millionths), shown: "\(threshold.millionths) millionths")
            }
        }
    }
}
