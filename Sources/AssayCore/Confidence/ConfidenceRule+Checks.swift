extension ConfidenceRule {
    /// The profile `mvp`: a table over the checks of hardware, primary depth and metadata. A check that is unavailable is no failure.
    func assessChecks(
        _ scene: SceneAnalysis, _ readings: SignalReadings, _ platform: DevicePlatform?, _ hardware: HardwareAttestation
    ) -> Confidence {
        func outcome(_ name: String?) -> Signal.Outcome {
            name.flatMap { readings[$0] }?.outcome(passingFrom: passScore) ?? .unavailable
        }
        let (attested, depth, metadata) = (hardware.outcome, outcome(platform?.depthSignal), outcome("metadata"))
        return Confidence(
            platform: platform, level: Self.level(attested, depth, metadata), score: nil, hardware: hardware, scene: scene,
            breakdown: ConfidenceBreakdown(
                profile: .mvp,
                parts: [
                    .init(name: "hardware", outcome: attested), .init(name: "depth", outcome: depth),
                    .init(name: "metadata", outcome: metadata),
                ]), crossValidation: nil)
    }

    private static func level(
        _ hardware: Signal.Outcome, _ depth: Signal.Outcome, _ metadata: Signal.Outcome
    ) -> ConfidenceLevel {
        if [hardware, depth, metadata].contains(.fail) { return .suspicious }
        return switch (hardware == .pass, depth == .pass) {
        case (true, true): .high
        case (true, false), (false, true): .medium
        case (false, false): .low
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
