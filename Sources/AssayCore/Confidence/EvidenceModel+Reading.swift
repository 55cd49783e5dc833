extension EvidenceModel {
    /// Reads a model of this version, of an older one, or of the profile `suite`: a JSON object in which every member may be missing or `null`. A
    /// model without `platform` was written before there was another than iOS. Throws `malformed` for other JSON, a member of another type, and a
    /// word or number that is none of this version's.
    public init(parsing document: [UInt8]) throws(Rejection) {
        guard document.count <= Self.sizeLimit else {
            throw Rejection(ReasonCode.malformed, "\(document.count) bytes, limit \(Self.sizeLimit)")
        }
        let fields = try JSONFields(parsing: document[...], code: .malformed)
        platform = fields.has("platform") ? try fields.word("platform") { DevicePlatform(bytesOf: $0) } : .iOS
        level = try fields.word("confidence_level") { ConfidenceLevel(name: $0.utf8) }
        score = try fields.score("confidence_score")
        suite = try SuiteModel(fields)
        guard suite == nil else {
            levelText = try fields.text("confidence_level").flatMap { text in
                level.map { !text.hasBytes(of: $0.name) } ?? false ? text : nil
            }
            return
        }
        hardware = try fields.section("hardware_attestation").map { (fields) throws(Rejection) in try Hardware(fields) }
        scene = try fields.section("scene_analysis").map { (fields) throws(Rejection) in try Scene(fields) }
        breakdown = try fields.section("breakdown").map { (fields) throws(Rejection) in try Breakdown(fields) }
        crossValidation = try fields.section("cross_validation").flatMap { (fields) throws(Rejection) in
            try fields.word("result") { CrossValidation(bytesOf: $0) }
        }
    }
}

extension EvidenceModel.Hardware {
    fileprivate init(_ fields: JSONFields) throws(Rejection) {
        status = try fields.word("status") { HardwareAttestation.Status(bytesOf: $0) }
        level = try fields.word("level") { HardwareAttestation.Level(bytesOf: $0) }
        simulated = try fields.boolean("simulated")
    }
}

extension EvidenceModel.Scene {
    fileprivate init(_ fields: JSONFields) throws(Rejection) {
        status = try fields.word("status") { SceneAnalysis.Status(bytesOf: $0) }
        documentDigest = try fields.digest("signals_sha256")
        media = try fields.elements("media", limit: SignalDocument.mediaLimit).map { (fields) throws(Rejection) in
            try fields.required("sha256", fields.digest("sha256"))
        }
        var signals: [Signal] = []
        if let section = try fields.section("signals") {
            for member in section.object.members {
                guard let signal = Signal(member), signals.count < SignalDocument.signalLimit else {
                    throw Rejection(ReasonCode.malformed, "signals has a member that is none, or too many")
                }
                signals.append(signal)
            }
        }
        self.signals = signals
    }
}

extension EvidenceModel.Breakdown {
    /// Each profile's table has fewer rows.
    private static let partLimit = 16

    fileprivate init(_ fields: JSONFields) throws(Rejection) {
        profile = try fields.word("profile") { ConfidenceProfile(bytesOf: $0) }
        weightedScore = try fields.score("weighted_score")
        levelByScore = try fields.word("level_by_score") { ConfidenceLevel(name: $0.utf8) }
        ceiling = try fields.word("ceiling") { ConfidenceLevel(name: $0.utf8) }
        parts = try fields.elements("parts", limit: Self.partLimit).map { (fields) throws(Rejection) in
            ConfidenceBreakdown.Part(
                name: try fields.required("name", fields.word("name") { $0.utf8.count <= SignalDocument.nameLimit ? $0 : nil }),
                outcome: try fields.word("outcome") { Signal.Outcome(bytesOf: $0) }, score: try fields.score("score"),
                weight: try fields.score("weight"), contribution: try fields.score("contribution"),
                source: try fields.word("source") { SignalReading.Source(bytesOf: $0) })
        }
    }
}

extension JSONFields {
    /// A text that is one of the known words.
    fileprivate func word<Word>(_ name: String, _ word: (String) -> Word?) throws(Rejection) -> Word? {
        guard let text = try text(name) else { return nil }
        guard let known = word(text) else { throw Rejection(code, "\(name) is not a word of this version") }
        return known
    }

    fileprivate func digest(_ name: String) throws(Rejection) -> [UInt8]? {
        guard let text = try text(name) else { return nil }
        guard text.utf8.count == 64, let digest = Hex.decode(text) else {
            throw Rejection(code, "\(name) is not 64 hexadecimal digits")
        }
        return digest
    }

    /// The objects of a list; none if it is missing.
    fileprivate func elements(_ name: String, limit: Int) throws(Rejection) -> [JSONFields] {
        switch object[name.utf8] {
        case nil, .null?: return []
        case .array(let elements)?:
            guard elements.count <= limit else { throw Rejection(code, "\(name) has more than \(limit) elements") }
            return try elements.map { (element) throws(Rejection) in
                guard case .object(let object) = element else { throw Rejection(code, "\(name) is not a list of objects") }
                return JSONFields(object, code: code)
            }
        default: throw Rejection(code, "\(name) is not a list")
        }
    }
}
