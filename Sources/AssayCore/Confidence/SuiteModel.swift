/// The evidence model of the profile `suite` below its first three members: how each method of the device's suite came out
/// (`docs/reference/confidence-profiles.md`, "The evidence model of the profile suite").
///
/// Other programs write models of this shape too. Their texts and measured numbers are kept as they are, so that a model comes out again as it
/// came in, without the members that are not known.
public struct SuiteModel: Hashable, Sendable {
    public struct Hardware: Hashable, Sendable {
        public var status: String?
        public var method: String?
        public var deviceModel: String?
        /// Written only where trust rests on a test root.
        public var simulated: Bool?
    }

    public struct Method: Hashable, Sendable {
        /// `lidar`, `parallax`, `moire`, `texture` or `supporting`.
        public var name: String
        public var score: Score?
        public var weight: Score?
        /// Written only where it is known.
        public var source: SignalReading.Source?
        /// The method's other members, in the order of ``MethodMembers``.
        package var details = JSONObject()

        /// Name and value of each other member, as JSON.
        package var detailTexts: [String] {
            details.members.map {
                "\(String(decoding: $0.name, as: UTF8.self)) \(String(decoding: $0.value.text, as: UTF8.self))"
            }
        }
    }

    public var hardware: Hardware?
    public var status: String?
    public var isLikelyRealScene: Bool?
    public var primaryMethod: String?
    /// A text, or a list of texts.
    package var methodSuite: JSONValue?
    public var methods: [Method] = []
    public var methodsAgree: Bool?
    public var disagreementScore: Score?
    public var isFlagged: Bool?
    public var finalScore: Score?
    /// Whether the model has anything of the scene.
    var hasScene = true
}

// MARK: Of a verdict

extension SuiteModel {
    init(_ confidence: Confidence) {
        let (suite, statements) = (confidence.suite, confidence.scene.document?.statements)
        hardware = Hardware(
            status: confidence.hardware.status.rawValue, method: confidence.hardware.level.rawValue,
            deviceModel: suite?.deviceModel,
            simulated: confidence.hardware.simulated ? true : nil)
        status = confidence.scene.status.rawValue
        isLikelyRealScene = suite?.isLikelyRealScene
        primaryMethod = suite?.kind.primaryMethod
        methodSuite = suite.map { .string(Array($0.kind.rawValue.utf8)) }
        let showsSource = confidence.scene.document.map { $0.version > 1 } ?? false
        methods =
            suite.map { suite in MethodMembers.all.map { Method($0.method, suite, confidence, statements, showsSource) } } ?? []
        methodsAgree = confidence.crossValidation.map { !$0.isFlagged }
        disagreementScore = suite?.disagreement
        isFlagged = confidence.crossValidation?.isFlagged
        finalScore = confidence.score
    }
}

extension SuiteModel.Method {
    fileprivate init(
        _ name: String, _ suite: SuiteAnalysis, _ confidence: Confidence, _ statements: CaptureStatements?, _ showsSource: Bool
    ) {
        let reading = suite.readings.first { $0.name.hasBytes(of: name) }
        let part = confidence.breakdown.parts.first { $0.name.hasBytes(of: name) }
        self.init(name: name, score: reading?.score, weight: part?.weight ?? .zero, source: reading?.shownSource(showsSource))
        var members: [(String, JSONValue)] = []
        if ["lidar", "parallax"].contains(where: { $0.hasBytes(of: name) }) {
            members.append(("available", .boolean(reading?.score != nil)))
        }
        if name.hasBytes(of: "lidar"), let depth = statements?.depth, reading?.contradicts(depth) != true {
            members += [
                ("depth_variance", .digits(depth.variance.description)), ("depth_layers", .digits(depth.layers.description)),
                ("edge_coherence", .digits(depth.edgeCoherence.description)),
            ]
        }
        if name.hasBytes(of: "parallax"), reading?.score == nil {
            let reason =
                reading != nil ? "unavailable on the device" : part == nil ? "lidar is the primary method" : "not submitted"
            members.append(("reason", .string(Array(reason.utf8))))
        }
        details = JSONObject(
            members.map { JSONObject.Member(name: Array($0.0.utf8), value: $0.1) } + (statements?.details[name]?.members ?? []))
    }
}

extension SignalReading {
    /// Whether the server measured, and found another outcome than the app's numbers have: they are not those of its map then.
    fileprivate func contradicts(_ depth: DepthNumbers) -> Bool {
        source == .server && depth.shortcomings(isStrict: false).isEmpty != (score == .one)
    }
}

// MARK: Writing

extension SuiteModel {
    /// The members below the first three.
    var members: [(name: String, value: JSONValue)] {
        [
            ("hardware_attestation", hardware?.json ?? .null),
            (
                "scene_analysis",
                hasScene
                    ? .members([
                        ("status", .text(status)), ("is_likely_real_scene", .flag(isLikelyRealScene)),
                        ("primary_method", .text(primaryMethod)), ("method_suite", methodSuite ?? .null),
                        ("breakdown", methods.isEmpty ? .null : .members(methods.map { ($0.name, $0.json) })),
                        (
                            "cross_validation",
                            .members([
                                ("methods_agree", .flag(methodsAgree)), ("disagreement_score", .score(disagreementScore)),
                                ("flagged", .flag(isFlagged)),
                            ])
                        ), ("final_score", .score(finalScore)),
                    ]) : .null
            ),
        ]
    }
}

extension SuiteModel.Hardware {
    fileprivate var json: JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("status", .text(status)), ("method", .text(method)), ("device_model", .text(deviceModel)),
        ]
        if let simulated { members.append(("simulated", .boolean(simulated))) }
        return .members(members)
    }
}

extension SuiteModel.Method {
    fileprivate var json: JSONValue {
        let known = MethodMembers.all.first { $0.method.hasBytes(of: name) }?.members.members ?? []
        var members: [(name: String, value: JSONValue)] = known.map { ($0.name, details[$0.name.utf8] ?? .null) }
        members += [("score", .score(score)), ("weight", .score(weight))]
        if let source { members.append(("source", .text(source.rawValue))) }
        return .members(members)
    }
}

extension JSONValue {
    static func members(_ members: [(name: String, value: JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member(name: Array($0.name.utf8), value: $0.value) }))
    }

    static func text(_ text: String?) -> JSONValue { text.map { .string(Array($0.utf8)) } ?? .null }

    static func digits(_ text: String) -> JSONValue { .number(Array(text.utf8)[...]) }

    static func score(_ score: Score?) -> JSONValue { score.map { .digits($0.description) } ?? .null }

    static func flag(_ flag: Bool?) -> JSONValue { flag.map { .boolean($0) } ?? .null }
}

// MARK: Reading

extension SuiteModel {
    /// Members that no model of another profile has.
    private static let marks = [
        "is_likely_real_scene", "primary_method", "method_suite", "breakdown", "cross_validation", "final_score",
    ]
    /// The most words of a suite.
    private static let wordLimit = 16

    /// `nil` if the model is of another shape. Throws `malformed` for a member of another type or a number out of its range.
    init?(_ fields: JSONFields) throws(Rejection) {
        let (hardware, scene) = (fields.members("hardware_attestation"), fields.members("scene_analysis"))
        guard
            Self.marks.contains(where: { scene?.has($0) == true }) || hardware?.has("method") == true
                || hardware?.has("device_model") == true
        else { return nil }
        self.hardware = try fields.section("hardware_attestation").map { (fields) throws(Rejection) in
            Hardware(
                status: try fields.word("status"), method: try fields.word("method"),
                deviceModel: try fields.word("device_model"),
                simulated: try fields.boolean("simulated"))
        }
        guard let scene = try fields.section("scene_analysis") else {
            hasScene = false
            return
        }
        status = try scene.word("status")
        isLikelyRealScene = try scene.boolean("is_likely_real_scene")
        primaryMethod = try scene.word("primary_method")
        methodSuite = try Self.methodSuite(scene)
        if let breakdown = try scene.section("breakdown") {
            for (method, members) in MethodMembers.all {
                guard let section = try breakdown.section(method) else { continue }
                methods.append(try Method(method, members, section))
            }
        }
        if let validation = try scene.section("cross_validation") {
            methodsAgree = try validation.boolean("methods_agree")
            disagreementScore = try validation.score("disagreement_score")
            isFlagged = try validation.boolean("flagged")
        }
        finalScore = try scene.score("final_score")
    }

    private static func methodSuite(_ fields: JSONFields) throws(Rejection) -> JSONValue? {
        switch fields.object["method_suite".utf8] {
        case nil, .null?: return nil
        case .string?: return .text(try fields.word("method_suite"))
        case .array(let elements)?:
            let isOfWords = elements.allSatisfy { element in
                guard case .string(let text) = element else { return false }
                return text.count <= CaptureMetadata.textLimit
            }
            guard elements.count <= wordLimit, isOfWords else { fallthrough }
            return .array(elements)
        default:
            throw Rejection(
                fields.code, "\(fields.place(of: "method_suite")) is not a text or a list of at most \(wordLimit) texts")
        }
    }
}

extension SuiteModel.Method {
    fileprivate init(_ name: String, _ members: MethodMembers, _ fields: JSONFields) throws(Rejection) {
        self.init(name: name, score: try fields.score("score"), weight: try fields.score("weight"))
        source = try fields.text("source").flatMap { SignalReading.Source(bytesOf: $0) }
        details = try members.read(from: fields)
    }
}

extension JSONFields {
    /// The object, if the member is one.
    fileprivate func members(_ name: String) -> JSONFields? {
        guard case .object(let object)? = object[name.utf8] else { return nil }
        return JSONFields(object, code: code)
    }

    /// A text of at most 64 bytes.
    fileprivate func word(_ name: String) throws(Rejection) -> String? {
        guard let text = try text(name) else { return nil }
        guard text.utf8.count <= CaptureMetadata.textLimit else {
            throw Rejection(code, "\(place(of: name)) has \(text.utf8.count) bytes, limit \(CaptureMetadata.textLimit)")
        }
        return text
    }

    func score(_ name: String) throws(Rejection) -> Score? {
        switch object[name.utf8] {
        case nil, .null?: return nil
        case .number(let digits)?:
            guard let score = Score(decimal: digits) else {
                throw Rejection(code, "\(place(of: name)) is not a number from 0 to 1")
            }
            return score
        default: throw Rejection(code, "\(place(of: name)) is not a number from 0 to 1")
        }
    }
}
