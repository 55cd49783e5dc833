/// The confidence in a capture as JSON, for those who keep or show it beside the capture (`docs/reference/confidence-profiles.md`, "The evidence model").
///
/// The daemon writes every member. Packages that were written before a member existed are read too: what they do not say is `nil` here,
/// and members that are not known are ignored. The profile `suite` has a shape of its own.
public struct EvidenceModel: Hashable, Sendable {
    /// The longest model that is read, in bytes. The longest that is written has less than half.
    public static let sizeLimit = 65_536
    static let version = 1

    public struct Hardware: Hashable, Sendable {
        public var status: HardwareAttestation.Status?
        public var level: HardwareAttestation.Level?
        public var simulated: Bool?
    }

    public struct Scene: Hashable, Sendable {
        public var status: SceneAnalysis.Status?
        /// SHA-256 of the document of signals.
        public var documentDigest: [UInt8]?
        /// SHA-256 of each file of the capture.
        public var media: [[UInt8]]
        public var signals: [Signal]
    }

    public struct Breakdown: Hashable, Sendable {
        public var profile: ConfidenceProfile?
        public var weightedScore: Score?
        public var levelByScore: ConfidenceLevel?
        public var ceiling: ConfidenceLevel?
        public var parts: [ConfidenceBreakdown.Part]
    }

    public var platform: DevicePlatform?
    public var level: ConfidenceLevel?
    public var score: Score?
    public var hardware: Hardware?
    public var scene: Scene?
    public var breakdown: Breakdown?
    public var crossValidation: CrossValidation?
    /// What the model says below its first three members in the shape of the profile `suite`; then the members above are `nil`.
    public var suite: SuiteModel?
    /// The level as a model of the profile `suite` spells it: others write it in capitals.
    var levelText: String?

    public init(_ confidence: Confidence) {
        (platform, level, score) = (confidence.platform, confidence.level, confidence.score)
        guard confidence.breakdown.profile != .suite else {
            suite = SuiteModel(confidence)
            return
        }
        let (hardware, scene, breakdown) = (confidence.hardware, confidence.scene, confidence.breakdown)
        self.hardware = Hardware(status: hardware.status, level: hardware.level, simulated: hardware.simulated)
        self.scene = Scene(
            status: scene.status, documentDigest: scene.documentDigest.isEmpty ? nil : scene.documentDigest,
            media: scene.document?.media ?? [], signals: scene.document?.signals ?? [])
        self.breakdown = Breakdown(
            profile: breakdown.profile, weightedScore: breakdown.weightedScore, levelByScore: breakdown.levelByScore,
            ceiling: breakdown.ceiling, parts: breakdown.parts)
        crossValidation = confidence.crossValidation
    }
}

// MARK: Writing

extension EvidenceModel {
    /// The JSON, without white space: members in the documented order, `null` for absent values.
    public var json: [UInt8] {
        if let suite {
            return JSONValue.members(
                [
                    ("platform", .text(platform?.rawValue)), ("confidence_level", .text(levelText ?? level?.name)),
                    ("confidence_score", .score(score)),
                ] + suite.members
            ).text
        }
        return JSONValue.members([
            ("version", .digits("\(Self.version)")), ("platform", .text(platform?.rawValue)),
            ("confidence_level", .text(level?.name)), ("confidence_score", .score(score)),
            ("hardware_attestation", hardware?.json ?? .null), ("scene_analysis", scene?.json ?? .null),
            ("breakdown", breakdown?.json ?? .null), ("cross_validation", crossValidation?.json ?? .null),
        ]).text
    }
}

extension EvidenceModel.Hardware {
    fileprivate var json: JSONValue {
        .members([
            ("status", .text(status?.rawValue)), ("level", .text(level?.rawValue)),
            ("simulated", simulated.map { .boolean($0) } ?? .null),
        ])
    }
}

extension EvidenceModel.Scene {
    fileprivate var json: JSONValue {
        .members([
            ("status", .text(status?.rawValue)), ("signals_sha256", .text(documentDigest.map { Hex.encode($0) })),
            ("media", .array(media.map { .members([("sha256", .text(Hex.encode($0)))]) })),
            ("signals", .members(signals.map { ($0.name, $0.json) })),
        ])
    }
}

extension Signal {
    fileprivate var json: JSONValue {
        switch value {
        case .score(let score): .members([("score", .score(score))])
        case .outcome(let outcome): .members([("outcome", .text(outcome.rawValue))])
        }
    }
}

extension EvidenceModel.Breakdown {
    fileprivate var json: JSONValue {
        .members([
            ("profile", .text(profile?.rawValue)), ("weighted_score", .score(weightedScore)),
            ("level_by_score", .text(levelByScore?.name)), ("ceiling", .text(ceiling?.name)),
            ("parts", .array(parts.map(\.json))),
        ])
    }
}

extension ConfidenceBreakdown.Part {
    fileprivate var json: JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("name", .text(name)), ("outcome", .text(outcome?.rawValue)), ("score", .score(score)), ("weight", .score(weight)),
            ("contribution", .score(contribution)),
        ]
        if let source { members.append(("source", .text(source.rawValue))) }
        return .members(members)
    }
}

extension CrossValidation {
    fileprivate var json: JSONValue { .members([("result", .text(rawValue)), ("flagged", .boolean(isFlagged))]) }
}
