extension ConfidenceRule {
    /// The profile `mvp`: a table over the checks of hardware, primary depth and metadata. A check that is unavailable is no failure.
    func assessChecks(
        _ scene: SceneAnalysis, _ readings: SignalReadings, _ platform: DevicePlatform?, _ hardware: HardwareAttestation
    ) -> Confidence {
        let (depth, metadata) = (platform.flatMap { readings[$0.depthSignal] }, readings["metadata"])
        let showsDevice = scene.document.map { $0.version > 1 } ?? false
        func check(_ name: String, _ reading: SignalReading?) -> ConfidenceBreakdown.Part {
            .init(
                name: name, outcome: reading?.outcome(passingFrom: passScore) ?? .unavailable,
                source: reading?.shownSource(showsDevice))
        }
        let parts = [
            ConfidenceBreakdown.Part(name: "hardware", outcome: hardware.outcome), check("depth", depth),
            check("metadata", metadata),
        ]
        return Confidence(
            platform: platform, level: Self.level(parts.compactMap(\.outcome)), score: nil, hardware: hardware, scene: scene,
            breakdown: ConfidenceBreakdown(profile: .mvp, parts: parts), crossValidation: nil)
    }

    /// - Parameter outcomes: of hardware, depth and metadata.
    private static func level(_ outcomes: [Signal.Outcome]) -> ConfidenceLevel {
        if outcomes.contains(.fail) { return .suspicious }
        switch outcomes.prefix(2).count(where: { $0 == .pass }) {
        case 2: return .high
        case 1: return .medium
        default: return .low
        }
    }
}

extension HardwareAttestation {
    /// The outcome of the check `hardware`.
    fileprivate var outcome: Signal.Outcome {
        switch status {
        case .pass: .pass
        case .fail: .fail
        case .unavailable, .notJudged: .unavailable
        }
    }
}
