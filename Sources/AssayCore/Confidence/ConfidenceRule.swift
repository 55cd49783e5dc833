/// How levels are made of attestation and signals (`docs/concepts/confidence.md`).
public enum ConfidenceProfile: String, CaseIterable, Hashable, Sendable {
    /// A table over three checks.
    case mvp
    /// A weighted score with cross-validation and ceilings.
    case weighted
    /// A weighted score over the suite of methods of the kind of device, with levels up to `very_high`.
    case suite

    /// The highest level that it has.
    public var highest: ConfidenceLevel { self == .suite ? .veryHigh : .high }
}

/// An app's rule of confidence: its profile, its numbers, and the level that it demands.
public struct ConfidenceRule: Hashable, Sendable {
    /// The lowest scores of the levels; below `low` the level is `suspicious`. They do not rise from the highest level to `low`.
    public struct Thresholds: Hashable, Sendable {
        /// `nil` in the profile `weighted`, which has no such level.
        public let veryHigh: Score?
        public let high: Score
        /// Equal to `high` in the profile `suite`, where a ceiling alone gives `medium_high`.
        public let mediumHigh: Score
        public let medium: Score
        public let low: Score

        /// `nil` if a lower level demands a higher score.
        public init?(veryHigh: Score? = nil, high: Score, mediumHigh: Score, medium: Score, low: Score) {
            guard veryHigh.map({ $0 >= high }) ?? true, high >= mediumHigh, mediumHigh >= medium, medium >= low else {
                return nil
            }
            self.init(ordered: veryHigh, high, mediumHigh, medium, low)
        }

        private init(ordered veryHigh: Score?, _ high: Score, _ mediumHigh: Score, _ medium: Score, _ low: Score) {
            (self.veryHigh, self.high, self.mediumHigh, self.medium, self.low) = (veryHigh, high, mediumHigh, medium, low)
        }

        /// Of the profile `weighted`: 0.85, 0.7, 0.5 and 0.3.
        public static let usual = Thresholds(
            ordered: nil, Score(rounding: 850_000, over: 1), Score(rounding: 700_000, over: 1),
            Score(rounding: 500_000, over: 1),
            Score(rounding: 300_000, over: 1))

        /// Of the profile `suite`: 0.9, 0.75, 0.5 and 0.25.
        public static let suite = Thresholds(
            ordered: Score(rounding: 900_000, over: 1), Score(rounding: 750_000, over: 1), Score(rounding: 750_000, over: 1),
            Score(rounding: 500_000, over: 1), Score(rounding: 250_000, over: 1))

        /// Those that a profile has without settings.
        public static func usual(of profile: ConfidenceProfile) -> Thresholds { profile == .suite ? suite : usual }

        func level(of score: Score) -> ConfidenceLevel {
            if let veryHigh, score >= veryHigh { return .veryHigh }
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
    /// The formats of evidence whose measurement takes the place of the app's word, by the name of the signal.
    public let measured: [String: EvidenceFormat]
    /// Whether depth numbers are judged by the stricter threshold of edge coherence.
    public let isDepthStrict: Bool
    /// Whether captures that state what their own flags leave out are rejected; otherwise the check `metadata` fails.
    public let rejectsViolatedFlags: Bool

    /// - Parameter thresholds: `nil`: the profile's usual ones.
    public init(
        profile: ConfidenceProfile, thresholds: Thresholds? = nil, passScore: Score = Self.usualPassScore,
        required: ConfidenceLevel? = nil, isDepthStrict: Bool = false, rejectsViolatedFlags: Bool = false,
        measured: [String: EvidenceFormat] = [:]
    ) {
        (self.profile, self.thresholds, self.passScore) = (profile, thresholds ?? .usual(of: profile), passScore)
        (self.required, self.isDepthStrict, self.rejectsViolatedFlags) = (required, isDepthStrict, rejectsViolatedFlags)
        self.measured = measured
    }

    /// The level and score of a capture under an accepted verdict.
    ///
    /// - Parameter receivedAt: when the capture arrived; `nil`: the time that its document states is not judged.
    public func assess(
        _ scene: SceneAnalysis, platform: DevicePlatform?, _ hardware: HardwareAttestation, receivedAt: Timestamp? = nil
    ) -> Confidence {
        let capture = CaptureReading(scene, platform, by: self, receivedAt: receivedAt)
        let confidence =
            switch profile {
            case .mvp: assessChecks(scene, capture.signals, platform, hardware)
            case .weighted: assessWeighted(scene, capture.signals, platform, hardware)
            case .suite: assessSuite(scene, capture, platform, hardware)
            }
        var notes = capture.notes
        if confidence.crossValidation?.isFlagged == true {
            notes.append(ConfidenceNote(.signalsDisagree, "signals speak against the capture, or against each other"))
        }
        if profile != .mvp, let stated = capture.document?.statements.finalScore, confidence.score.map(stated.differs) ?? true {
            notes.append(
                ConfidenceNote(
                    .aggregateMismatch,
                    "final_score is \(stated), computed is \(confidence.score?.description ?? "none"); want a difference of at most 0.01"
                ))
        }
        return notes.isEmpty ? confidence : confidence.noting(notes)
    }

    /// The rejection of a capture that the app's rule does not take; `nil` if it does.
    public func refusal(of confidence: Confidence) -> Rejection? {
        if rejectsViolatedFlags, let violation = confidence.notes.first(where: { $0.code == .metadataFlagsViolated }) {
            return Rejection(.metadataFlagsViolated, violation.detail)
        }
        return lowLevel(confidence)
    }

    /// What the parts of the payload measured for the signals that the rule names. A signal whose part was not sent stays the app's word.
    package func measured(by appraisals: [Appraisal]) -> [String: Signal.Outcome] {
        guard !measured.isEmpty else { return [:] }
        var outcomes: [String: Signal.Outcome] = [:]
        for appraisal in appraisals where appraisal.isPart {
            for measurement in appraisal.measurements where measured[measurement.signal] == appraisal.format {
                outcomes[measurement.signal] = measurement.outcome
            }
        }
        return outcomes
    }

    /// The rejection of a capture below the level that the app demands; `nil` if it is not below.
    private func lowLevel(_ confidence: Confidence) -> Rejection? {
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
            for (signal, format) in measured.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                policy.mark("measured")
                policy.mark(signal)
                policy.add("measured.\(signal)", format.rawValue)
            }
            // Left out where they have no effect, so that the digests of rules from before they existed stay as they are.
            if isDepthStrict {
                policy.mark("strict_depth")
                policy.add("strict_depth", hashed: 1, shown: "true")
            }
            if rejectsViolatedFlags {
                policy.mark("flags_violated")
                policy.add("flags_violated", hashed: 1, shown: "reject")
            }
            guard profile != .mvp else { return }
            let levels = [
                ("very_high", thresholds.veryHigh), ("high", thresholds.high),
                ("medium_high", profile == .suite ? nil : thresholds.mediumHigh), ("medium", thresholds.medium),
                ("low", thresholds.low),
            ]
            for case (let level, let threshold?) in levels {
                policy.add(
                    "thresholds.\(level)", hashed: UInt64(threshold.millionths), shown: "\(threshold.millionths) millionths")
            }
        }
    }
}
