extension ConfidenceRule {
    /// The profile `suite`: the weighted score of the methods of the kind of device, with the levels up to `very_high`.
    ///
    /// Score and cross-validation are those of the profile `weighted`; the ceilings are its own.
    func assessSuite(
        _ scene: SceneAnalysis, _ capture: CaptureReading, _ platform: DevicePlatform?, _ hardware: HardwareAttestation
    ) -> Confidence {
        let weighing = Weighing(capture.kind?.weights ?? [], capture.signals, hardware, passingFrom: passScore)
        let byScore = weighing.score.map(thresholds.level) ?? .low
        let primary = capture.kind.flatMap { capture.signals[$0.primaryMethod] }
        let ceiling = [
            Self.ceiling(capture, hardware), weighing.validation?.suiteCeiling ?? .veryHigh,
            primary?.score == nil ? .medium : .veryHigh, hasFalseDepth(capture) ? .medium : .veryHigh,
            capture.signals["metadata"]?.outcome(passingFrom: passScore).suiteCeiling ?? .veryHigh,
        ].reduce(ConfidenceLevel.veryHigh, min)
        let suite = capture.kind.map { kind in
            SuiteAnalysis(
                kind: kind, deviceModel: scene.document?.statements.metadata?.model,
                isLikelyRealScene: primary.flatMap { $0.score == nil ? nil : $0.outcome(passingFrom: passScore) == .pass },
                disagreement: Score(meanDeviationOf: weighing.counted),
                readings: MethodMembers.all.compactMap { capture.signals[$0.method] })
        }
        return Confidence(
            platform: platform, level: min(byScore, ceiling), score: weighing.score, hardware: hardware, scene: scene,
            breakdown: ConfidenceBreakdown(
                profile: .suite, parts: weighing.parts(showingSource: scene.document.map { $0.version > 1 } ?? false),
                weightedScore: weighing.weighted, levelByScore: byScore, ceiling: ceiling),
            crossValidation: weighing.validation, suite: suite)
    }

    /// Whether LiDAR speaks against the capture of a device whose suite is without it, where the score does not say so.
    private func hasFalseDepth(_ capture: CaptureReading) -> Bool {
        guard let kind = capture.kind, kind != .iPhoneWithLiDAR else { return false }
        return capture.signals["lidar"]?.outcome(passingFrom: passScore) == .fail
    }

    /// The highest level that hardware and kind of device allow.
    private static func ceiling(_ capture: CaptureReading, _ hardware: HardwareAttestation) -> ConfidenceLevel {
        guard hardware.level != .software else { return .rejected }
        guard let kind = capture.kind else { return .low }
        func counts(_ name: String) -> Bool { capture.signals[name]?.score != nil }
        switch (hardware.level, kind) {
        case (.none, .android): return .low
        case (.none, _): return counts(kind.primaryMethod) ? .medium : .low
        case (.tee, .android): return ["parallax", "moire", "texture"].allSatisfy(counts) ? .medium : .low
        default: return kind.ceiling
        }
    }
}

/// What the profile `suite` says beside score and level.
public struct SuiteAnalysis: Hashable, Sendable {
    public let kind: DeviceKind
    /// As the document states it.
    public let deviceModel: String?
    /// Whether the primary method passes; `nil` if it does not count.
    public let isLikelyRealScene: Bool?
    /// The mean absolute deviation of the scores that count; `nil` if none does.
    public let disagreement: Score?
    /// The methods of the evidence model, in its order, as they were read.
    let readings: [SignalReading]
}

extension CrossValidation {
    /// In the profile `suite` a missing method costs `very_high` alone.
    fileprivate var suiteCeiling: ConfidenceLevel {
        switch self {
        case .agree: .veryHigh
        case .partial: .high
        case .disagree: .medium
        case .contradict: .low
        }
    }
}

extension Signal.Outcome {
    /// Of the check `metadata`.
    fileprivate var suiteCeiling: ConfidenceLevel {
        switch self {
        case .pass: .veryHigh
        case .unavailable: .high
        case .fail: .medium
        }
    }
}

extension DeviceKind {
    fileprivate var weights: [WeightedRow] {
        switch self {
        case .iPhoneWithLiDAR: DevicePlatform.iOS.weights
        case .iPhoneWithoutLiDAR:
            [WeightedRow(name: primaryMethod, weight: 55)] + DevicePlatform.iOS.weights.filter { $0.name != "lidar" }
        case .android: DevicePlatform.android.weights
        }
    }
}

extension Score {
    /// The mean of the amounts by which the scores differ from their mean, rounded half up; `nil` without a score.
    init?(meanDeviationOf scores: [Score]) {
        guard !scores.isEmpty else { return nil }
        let (count, sum) = (Int64(scores.count), scores.reduce(Int64(0)) { $0 + Int64($1.millionths) })
        let deviations = scores.reduce(UInt64(0)) { $0 + (count * Int64($1.millionths) - sum).magnitude }
        self.init(rounding: deviations, over: UInt64(count * count))
    }

    /// Whether they differ by more than 0.01.
    func differs(from other: Score) -> Bool { Swift.max(self, other).millionths - Swift.min(self, other).millionths > 10_000 }
}
