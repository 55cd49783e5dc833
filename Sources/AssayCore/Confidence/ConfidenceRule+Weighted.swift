extension ConfidenceRule {
    /// The profile `weighted`.
    ///
    /// The weighted score is the sum of score times weight over the sum of the weights that count. Cross-validation adjusts it; the
    /// thresholds give it a level; hardware and cross-validation limit the level. Signals alone make a score: attestation says nothing
    /// of the scene, so without a signal there is no score, and the level is `low`.
    func assessWeighted(
        _ scene: SceneAnalysis, _ readings: SignalReadings, _ platform: DevicePlatform?, _ hardware: HardwareAttestation
    ) -> Confidence {
        let table = platform?.weights ?? []
        let scores = table.map { $0.isAttestation ? hardware.attestationScore : readings[$0.name]?.score }
        let counted = zip(table, scores).compactMap { row, score in row.isAttestation ? nil : score }
        let validation = CrossValidation(counted, of: table.count { !$0.isAttestation }, passingFrom: passScore)
        var (sum, weights) = (UInt64(0), UInt64(0))
        for (row, score) in zip(table, scores) {
            guard let score else { continue }
            sum += UInt64(row.weight) * UInt64(score.millionths)
            weights += UInt64(row.weight)
        }
        let weighted = validation.map { _ in Score(rounding: sum, over: weights) }
        let parts = zip(table, scores).map { row, score in
            ConfidenceBreakdown.Part(
                name: row.name, outcome: score == nil ? .unavailable : nil, score: score,
                weight: Score(rounding: UInt64(row.weight) * 10_000, over: 1),
                contribution: score.flatMap { score in
                    weighted.map { _ in Score(rounding: UInt64(row.weight) * UInt64(score.millionths), over: weights) }
                })
        }
        let final = validation.flatMap { validation in weighted.map(validation.adjusted) }
        let byScore = final.map(thresholds.level) ?? .low
        let ceiling = min(Self.ceiling(platform, hardware, readings), validation?.ceiling ?? .high)
        return Confidence(
            platform: platform, level: min(byScore, ceiling), score: final, hardware: hardware, scene: scene,
            breakdown: ConfidenceBreakdown(
                profile: .weighted, parts: parts, weightedScore: weighted, levelByScore: byScore, ceiling: ceiling),
            crossValidation: validation)
    }

    /// The highest level that the hardware allows with the signals that count.
    private static func ceiling(
        _ platform: DevicePlatform?, _ hardware: HardwareAttestation, _ readings: SignalReadings
    ) -> ConfidenceLevel {
        func counts(_ name: String) -> Bool { readings[name]?.score != nil }
        switch (hardware.level, platform) {
        case (.software, _): return .rejected
        case (_, nil): return .low
        case (.none, .iOS?): return counts("lidar") ? .medium : .low
        case (_, .iOS?): return counts("lidar") ? .high : .medium
        case (.none, .android?): return .low
        case (.tee, .android?): return ["parallax", "moire", "texture"].allSatisfy(counts) ? .medium : .low
        case (_, .android?): return ["parallax", "moire"].contains(where: counts) ? .mediumHigh : .medium
        }
    }
}

extension HardwareAttestation {
    /// What the level of the attestation counts for in Android's table; `nil` if there is none.
    fileprivate var attestationScore: Score? {
        switch level {
        case .strongBox, .secureEnclave, .secureElement: .one
        case .tee: Score(rounding: 700_000, over: 1)
        case .software: .zero
        case .none: nil
        }
    }
}

/// A row of a platform's table.
private struct WeightedRow {
    let name: String
    /// In hundredths.
    let weight: UInt32
    var isAttestation = false
}

extension DevicePlatform {
    fileprivate var weights: [WeightedRow] {
        switch self {
        case .iOS:
            [
                WeightedRow(name: "lidar", weight: 55), WeightedRow(name: "moire", weight: 15),
                WeightedRow(name: "texture", weight: 15), WeightedRow(name: "supporting", weight: 15),
            ]
        case .android:
            [
                WeightedRow(name: "attestation", weight: 20, isAttestation: true), WeightedRow(name: "parallax", weight: 30),
                WeightedRow(name: "moire", weight: 15), WeightedRow(name: "texture", weight: 20),
                WeightedRow(name: "supporting", weight: 15),
            ]
        }
    }
}
