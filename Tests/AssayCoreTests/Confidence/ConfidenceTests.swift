import AssayCore
import AssayTesting
import Testing

/// Signals that count, for rules under test.
private func scene(_ signals: [(String, Signal.Value)]) -> SceneAnalysis {
    SceneAnalysis(
        counted: SignalDocument(
            media: [[UInt8](repeating: 1, count: 32)], signals: signals.map { Signal(name: $0.0, value: $0.1) }),
        digest: [UInt8](repeating: 2, count: 32))
}

private func score(_ millionths: UInt32) -> Signal.Value {
    guard let score = Score(millionths: millionths) else { return .outcome(.fail) }
    return .score(score)
}

private func hardware(_ assurance: Assurance, _ platform: DevicePlatform?) -> HardwareAttestation {
    HardwareAttestation(assurance, platform: platform, simulated: false)
}

@Suite("The profile mvp")
struct ChecksProfileTests {
    private func level(
        _ assurance: Assurance, _ signals: [(String, Signal.Value)], on platform: DevicePlatform? = .iOS,
        _ rule: ConfidenceRule = ConfidenceRule(profile: .mvp)
    ) -> ConfidenceLevel {
        let confidence = rule.assess(scene(signals), platform: platform, hardware(assurance, platform))
        #expect(confidence.score == nil && confidence.crossValidation == nil)
        return confidence.level
    }

    @Test("Every row of the table gives its level, on both platforms", arguments: DevicePlatform.allCases)
    func table(_ platform: DevicePlatform) {
        let depth = platform == .iOS ? "lidar" : "parallax"
        let outcomes: [Signal.Outcome?] = [.pass, .fail, .unavailable, nil]
        for assurance in Assurance.allCases {
            for depthOutcome in outcomes {
                for metadata in outcomes {
                    let signals = [(depth, depthOutcome), ("metadata", metadata)].compactMap { name, outcome in
                        outcome.map { (name, Signal.Value.outcome($0)) }
                    }
                    let (attested, hasDepth) = (assurance >= .hardware, depthOutcome == .pass)
                    let expected: ConfidenceLevel =
                        if assurance == .software || depthOutcome == .fail || metadata == .fail {
                            .suspicious
                        } else if attested && hasDepth {
                            .high
                        } else {
                            attested || hasDepth ? .medium : .low
                        }
                    #expect(
                        level(assurance, signals, on: platform) == expected,
                        "\(assurance), depth \(depthOutcome as Any), metadata \(metadata as Any)")
                }
            }
        }
    }

    @Test("A score passes from the rule's least score on")
    func scores() throws {
        #expect(level(.secureElement, [("lidar", score(500_000))]) == .high)
        #expect(level(.secureElement, [("lidar", score(499_999))]) == .suspicious)
        let strict = ConfidenceRule(profile: .mvp, passScore: try #require(Score(millionths: 900_000)))
        #expect(level(.secureElement, [("lidar", score(899_999))], on: .iOS, strict) == .suspicious)
        #expect(level(.secureElement, [("lidar", score(900_000))], on: .iOS, strict) == .high)
    }

    @Test("The depth of another platform, or of no known platform, does not count")
    func otherDepth() {
        #expect(level(.secureElement, [("parallax", .outcome(.pass))]) == .medium)
        #expect(level(.secureElement, [("lidar", .outcome(.fail))], on: .android) == .medium)
        #expect(level(.secureElement, [("lidar", .outcome(.pass)), ("parallax", .outcome(.pass))], on: nil) == .medium)
    }
}

@Suite("The profile weighted")
struct WeightedProfileTests {
    private let rule = ConfidenceRule(profile: .weighted)

    private func assess(
        _ signals: [(String, Signal.Value)], _ platform: DevicePlatform?, _ assurance: Assurance = .secureElement
    ) -> Confidence {
        rule.assess(scene(signals), platform: platform, hardware(assurance, platform))
    }

    private static let worked = [
        ("lidar", score(950_000)), ("moire", score(880_000)), ("texture", score(820_000)), ("supporting", score(790_000)),
    ]
    private static let android = [
        ("parallax", score(900_000)), ("moire", score(900_000)), ("texture", score(900_000)), ("supporting", score(900_000)),
    ]

    @Test("The worked example is 0.896 before cross-validation, and 0.9408 after it")
    func workedExample() {
        let confidence = assess(Self.worked, .iOS)
        #expect(confidence.breakdown.weightedScore?.description == "0.896")
        #expect(confidence.crossValidation == .agree && confidence.score?.description == "0.9408")
        #expect(confidence.level == .high && confidence.hardware.level == .secureEnclave)
        #expect(confidence.breakdown.parts.compactMap { $0.weight?.description } == ["0.55", "0.15", "0.15", "0.15"])
        #expect(confidence.breakdown.parts.compactMap { $0.contribution?.millionths } == [522_500, 132_000, 123_000, 118_500])
    }

    @Test("On Android StrongBox counts 1 and a TEE 0.7, with a weight of 0.2")
    func attestation() {
        let strongBox = assess(Self.android, .android)
        #expect(strongBox.breakdown.weightedScore?.millionths == 920_000 && strongBox.score?.millionths == 966_000)
        #expect(strongBox.level == .mediumHigh && strongBox.breakdown.levelByScore == .high)
        let tee = assess(Self.android, .android, .hardware)
        #expect(tee.breakdown.weightedScore?.millionths == 860_000 && tee.score?.millionths == 903_000)
        #expect(tee.level == .medium && tee.hardware.level == .tee)
        #expect(tee.breakdown.parts.first?.score?.millionths == 700_000)
    }

    @Test("The weights of signals that are missing or unavailable are distributed over the others")
    func renormalised() {
        let missing = assess([("lidar", score(800_000)), ("moire", score(400_000))], .iOS)
        // (55 × 0.8 + 15 × 0.4) / 70 = 0.7142857…
        #expect(missing.breakdown.weightedScore?.millionths == 714_286)
        let unavailable = assess(
            [
                ("lidar", score(800_000)), ("moire", score(400_000)), ("texture", .outcome(.unavailable)),
                ("supporting", .outcome(.unavailable)),
            ], .iOS)
        #expect(unavailable.breakdown == missing.breakdown && unavailable.score == missing.score)
        #expect(missing.breakdown.parts.map(\.outcome) == [nil, nil, .unavailable, .unavailable])
        // Without hardware the attestation's weight is distributed too.
        #expect(assess(Self.android, .android, .platform).breakdown.weightedScore?.millionths == 900_000)
    }

    @Test("A pass counts 1 and a failure 0")
    func outcomes() {
        let confidence = assess([("lidar", .outcome(.pass)), ("moire", .outcome(.fail))], .iOS)
        #expect(confidence.breakdown.weightedScore?.millionths == 785_714)
        #expect(confidence.crossValidation == .disagree)
    }

    @Test("Agreement of all signals adds 5 % of the score, and never passes 1")
    func agreement() {
        let all = ["lidar", "moire", "texture", "supporting"].map { ($0, score(1_000_000)) }
        #expect(assess(all, .iOS).score == .one)
        let least = ["lidar", "moire", "texture", "supporting"].map { ($0, score(500_000)) }
        #expect(assess(least, .iOS).score?.millionths == 525_000)
    }

    @Test("Signals that disagree are flagged, and the level is at most medium")
    func disagreement() {
        var signals = Self.worked
        signals[1].1 = score(499_999)
        let confidence = assess(signals, .iOS)
        #expect(confidence.crossValidation == .disagree && confidence.crossValidation?.isFlagged == true)
        #expect(confidence.score == confidence.breakdown.weightedScore && confidence.breakdown.levelByScore == .mediumHigh)
        #expect(confidence.level == .medium)
    }

    @Test("Signals of which some are missing lower the ceiling of an iPhone to medium_high")
    func partial() {
        let confidence = assess(Array(Self.worked.dropLast()), .iOS)
        #expect(confidence.crossValidation == .partial && confidence.breakdown.levelByScore == .high)
        #expect(confidence.level == .mediumHigh && confidence.score == confidence.breakdown.weightedScore)
        #expect(assess(Array(Self.worked.dropFirst()), .iOS).level == .medium, "without lidar")
    }

    @Test("Signals that all speak against the capture are at most low, also under the strongest attestation")
    func contradiction() {
        let confidence = assess(["parallax", "moire", "texture", "supporting"].map { ($0, score(490_000)) }, .android)
        #expect(confidence.breakdown.levelByScore == .medium && confidence.crossValidation == .contradict)
        #expect(confidence.level == .low)
    }

    @Test("The ceilings of Android are those of the table")
    func androidCeilings() {
        func ceiling(_ names: [String], _ assurance: Assurance) -> ConfidenceLevel? {
            assess(names.map { ($0, score(1_000_000)) }, .android, assurance).breakdown.ceiling
        }
        for names in [["parallax"], ["moire"], ["parallax", "moire", "texture", "supporting"]] {
            #expect(ceiling(names, .secureElement) == .mediumHigh, "\(names)")
        }
        for names in [["texture"], ["supporting"], ["texture", "supporting"]] {
            #expect(ceiling(names, .secureElement) == .medium, "\(names)")
        }
        #expect(ceiling(["parallax", "moire", "texture"], .hardware) == .medium)
        for names in [["parallax", "moire"], ["parallax", "texture", "supporting"]] {
            #expect(ceiling(names, .hardware) == .low, "\(names)")
        }
        #expect(ceiling(["parallax", "moire", "texture", "supporting"], .platform) == .low)
        #expect(ceiling(["parallax", "moire", "texture", "supporting"], .software) == .rejected)
        #expect(assess(Self.worked, .iOS, .software).level == .rejected)
    }

    @Test("Without a signal there is no score, and the level is low", arguments: [DevicePlatform.iOS, .android, nil])
    func noSignals(_ platform: DevicePlatform?) {
        for analysis in [SceneAnalysis(.notSubmitted), SceneAnalysis(.notBound), SceneAnalysis(.malformed), scene([])] {
            let confidence = rule.assess(analysis, platform: platform, hardware(.secureElement, platform))
            #expect(confidence.score == nil && confidence.level == .low && confidence.crossValidation == nil)
            #expect(confidence.breakdown.weightedScore == nil)
        }
        #expect(rule.assess(SceneAnalysis(.notSubmitted), platform: .android, hardware(.software, .android)).level == .rejected)
    }

    @Test("Signals under a name of the attestation's row do not count")
    func attestationBySignal() {
        let without = assess(Self.android, .android, .hardware)
        let with = assess(Self.android + [("attestation", score(1_000_000))], .android, .hardware)
        #expect(with.breakdown == without.breakdown && with.level == without.level)
    }

    @Test("The thresholds are those of the rule, and are met exactly")
    func thresholds() throws {
        func level(_ millionths: UInt32) -> ConfidenceLevel? {
            assess([("lidar", score(millionths))], .iOS).breakdown.levelByScore
        }
        for (millionths, expected) in [
            (1_000_000, .high), (850_000, .high), (849_999, .mediumHigh), (700_000, .mediumHigh), (699_999, .medium),
            (500_000, .medium), (499_999, .low), (300_000, .low), (299_999, .suspicious), (0, .suspicious),
        ] as [(UInt32, ConfidenceLevel)] {
            #expect(level(millionths) == expected, "\(millionths)")
        }
        let (one, half) = (Score.one, try #require(Score(millionths: 500_000)))
        #expect(ConfidenceRule.Thresholds(high: half, mediumHigh: one, medium: half, low: half) == nil)
        #expect(ConfidenceRule.Thresholds(high: one, mediumHigh: one, medium: half, low: .one) == nil)
        #expect(ConfidenceRule.Thresholds(high: half, mediumHigh: half, medium: half, low: half) != nil)
    }
}

@Suite("Attestation comes before signals")
struct AttestationFirstTests {
    private static let names = ["lidar", "parallax", "moire", "texture", "supporting", "metadata", "attestation", "other"]

    private func randomSignals(_ numbers: inout SeededNumbers) -> [(String, Signal.Value)] {
        var signals: [(String, Signal.Value)] = []
        for name in Self.names {
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0: continue
            case 1: signals.append((name, .outcome(Signal.Outcome.allCases.randomElement(using: &numbers) ?? .pass)))
            case 2: signals.append((name, score(1_000_000)))
            default: signals.append((name, score(UInt32.random(in: 0...1_000_000, using: &numbers))))
            }
        }
        return signals
    }

    private func rules() -> [ConfidenceRule] {
        ConfidenceProfile.allCases.flatMap { profile in
            [ConfidenceRule(profile: profile)]
                + ConfidenceLevel.allCases.map { ConfidenceRule(profile: profile, required: $0) }
        }
    }

    @Test("No signals lift a verdict over a rejection, whatever its code", arguments: ReasonCode.allCases)
    func rejections(_ code: ReasonCode) {
        var numbers = SeededNumbers(seed: 2026)
        for rule in rules() {
            for _ in 0..<10 {
                let platform = [DevicePlatform.iOS, .android, nil].randomElement(using: &numbers) ?? nil
                let assurance = Assurance.allCases.randomElement(using: &numbers) ?? .none
                let confidence = rule.assess(scene(randomSignals(&numbers)), platform: platform, hardware(assurance, platform))
                let rejected = verdict(.rejected(Rejection(code, ""), check: "a"), confidence)
                let late = verdict(.accepted(assurance), confidence).rejected(Rejection(code, ""), check: "b", device: nil)
                for verdict in [rejected, late, late.answering([1]), late.adding([.pass("c")])] {
                    guard case .rejected(let rejection, _) = verdict.decision else {
                        Issue.record("the verdict is not rejected")
                        continue
                    }
                    #expect(rejection.code == code)
                    if code == .confidenceTooLow {
                        #expect(verdict.confidence == confidence)
                    } else {
                        #expect(verdict.confidence?.level == .rejected && verdict.confidence?.score == nil)
                        #expect(verdict.confidence?.scene.document == nil && verdict.confidence?.crossValidation == nil)
                    }
                }
            }
        }
    }

    @Test("No signals lift a software key over rejected, or an Android device over its ceilings")
    func ceilings() {
        var numbers = SeededNumbers(seed: 7)
        let rule = ConfidenceRule(profile: .weighted)
        for _ in 0..<2000 {
            let signals = scene(randomSignals(&numbers))
            for platform in DevicePlatform.allCases {
                #expect(rule.assess(signals, platform: platform, hardware(.software, platform)).level == .rejected)
            }
            #expect(rule.assess(signals, platform: .android, hardware(.secureElement, .android)).level <= .mediumHigh)
            #expect(rule.assess(signals, platform: .android, hardware(.hardware, .android)).level <= .medium)
            #expect(rule.assess(signals, platform: .android, hardware(.platform, .android)).level <= .low)
            #expect(
                ConfidenceRule(profile: .mvp).assess(signals, platform: .iOS, hardware(.software, .iOS)).level == .suspicious)
        }
    }

    @Test("A capture below the demanded level is refused, and one at the level is not")
    func required() {
        for level in ConfidenceLevel.allCases {
            let rule = ConfidenceRule(profile: .weighted, required: level)
            for reached in ConfidenceLevel.allCases {
                let confidence = Confidence(
                    platform: .iOS, level: reached, score: nil, hardware: hardware(.secureElement, .iOS),
                    scene: SceneAnalysis(.notSubmitted), breakdown: ConfidenceBreakdown(profile: .weighted),
                    crossValidation: nil)
                #expect(rule.refusal(of: confidence)?.code.builtIn == (reached < level ? .confidenceTooLow : nil))
                #expect(ConfidenceRule(profile: .weighted).refusal(of: confidence) == nil)
            }
        }
    }

    private func verdict(_ decision: Verdict.Decision, _ confidence: Confidence?) -> Verdict {
        Verdict(
            decision: decision, findings: [], claims: Claims(), device: nil, binding: nil, evidenceDigest: [], policyDigest: [],
            simulated: false, requestID: [], decidedAt: Timestamp(unixMilliseconds: 0), confidence: confidence)
    }
}
