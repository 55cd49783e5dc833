extension ConfidenceRule {
    /// The profile `weighted`.
    ///
    /// The weighted score is the sum of score times weight over the sum of the weights that count. Cross-validation adjusts it; the
    /// thresholds give it a level; hardware and cross-validation limit the level. Signals alone make a score: attestation says nothing
    /// of the scene, so without a signal there is no score, and the level is `low`.
    func assessWeighted(
        _ scene: SceneAnalysis, _ readings: SignalReadings, _ platform: DevicePlatform?, _ hardware: HardwareAttestation
    ) -> Confidence {
        let weighing = Weighing(platform?.weights ?? [], readings, hardware, passingFrom: passScore)
        let byScore = weighing.score.map(thresholds.level) ?? .low
        let ceiling = min(Self.ceiling(platform, hardware, readings), weighing.validation?.ceiling ?? .high)
        return Confidence(
            platform: platform, level: min(byScore, ceiling), score: weighing.score, hardware: hardware, scene: scene,
            breakdown: ConfidenceBreakdown(
                profile: .weighted, parts: weighing.parts(showingSource: scene.document.map { $0.version > 1 } ?? false),
                weightedScore: weighing.weighted, levelByScore: byScore, ceiling: ceiling),
            crossValidation: weighing.validation)
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

/// The weighted score of a table, and how it came about.
struct Weighing {
    private let table: [WeightedRow]
    private let readings: [SignalReading?]
    private let scores: [Score?]
    private let weights: UInt64
    /// The scores of the signals that count.
    let counted: [Score]
    let validation: CrossValidation?
    /// Before cross-validation.
    let weighted: Score?
    /// After it.
    let score: Score?

    init(_ table: [WeightedRow], _ signals: SignalReadings, _ hardware: HardwareAttestation, passingFrom least: Score) {
        let readings = table.map { $0.isAttestation ? nil : signals[$0.name] }
        let scores = zip(table, readings).map { row, reading in row.isAttestation ? hardware.attestationScore : reading?.score }
        let counted = zip(table, scores).compactMap { row, score in row.isAttestation ? nil : score }
        let validation = CrossValidation(counted, of: table.count { !$0.isAttestation }, passingFrom: least)
        var (sum, weights) = (UInt64(0), UInt64(0))
        for (row, score) in zip(table, scores) {
            guard let score else { continue }
            sum += UInt64(row.weight) * UInt64(score.millionths)
            weights += UInt64(row.weight)
        }
        let weighted = validation.map { _ in Score(rounding: sum, over: weights) }
        (self.table, self.readings, self.scores, self.weights, self.counted) = (table, readings, scores, weights, counted)
        (self.validation, self.weighted) = (validation, weighted)
        score = validation.flatMap { validation in weighted.map(validation.adjusted) }
    }

    /// - Parameter showingSource: of the signals that came from the device; that of others is always shown.
    func parts(showingSource: Bool) -> [ConfidenceBreakdown.Part] {
        table.indices.map { index in
            let (row, score, reading) = (table[index], scores[index], readings[index])
            return ConfidenceBreakdown.Part(
                name: row.name, outcome: score == nil ? .unavailable : nil, score: score,
                weight: Score(rounding: UInt64(row.weight) * 10_000, over: 1),
                contribution: score.flatMap { score in
                    weighted.map { _ in Score(rounding: UInt64(row.weight) * UInt64(score.millionths), over: weights) }
                }, source: reading?.shownSource(showingSource))
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
struct WeightedRow {
    let name: String
    /// In hundredths.
    let weight: UInt32
    var isAttestation = false
}

extension DevicePlatform {
    var weights: [WeightedRow] {
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
