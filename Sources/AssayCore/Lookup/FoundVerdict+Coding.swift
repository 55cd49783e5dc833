/// The form in which a verdict is kept for look-ups, before it is sealed: a version, then fields behind their lengths (`StoredFieldsWriter`).
/// Internal; never on the wire. A verdict of an unknown form cannot be decoded.
extension FoundVerdict {
    private static let version: Int64 = 1
    /// The most formats that are read: one request has at most so many pieces of evidence.
    private static let formatLimit = VerificationRequest.evidenceLimit

    package func encoded() -> [UInt8] {
        var writer = StoredFieldsWriter()
        writer.add(Self.version)
        writer.add([
            purpose.rawValue, assurance.rawValue, match.rawValue, platform?.number ?? 0, simulated ? 1 : 0,
            capture?.level.rawValue ?? 0,
        ])
        writer.add(requestID)
        writer.add(decidedAt)
        writer.add(formats.map { Array($0.rawValue.utf8) })
        writer.add(limits.map { Array($0.rawValue.utf8) })
        writer.add(optional: capture?.score.map { Int64($0.millionths) })
        writer.add(capture?.model ?? [])
        return writer.bytes
    }

    /// `nil` unless `encoded()` of this version made the bytes.
    package init?(decoding bytes: [UInt8]) {
        var reader = StoredFieldsReader(bytes)
        guard reader.number() == Self.version, var head = reader.bytes()?[...],
            let purpose = head.popFirst().flatMap(Purpose.init(rawValue:)),
            let assurance = head.popFirst().flatMap(Assurance.init(rawValue:)),
            let match = head.popFirst().flatMap(Match.init(rawValue:)), let platform = head.popFirst(),
            platform == 0 || DevicePlatform(number: platform) != nil, let simulated = head.popFirst(), simulated <= 1,
            let level = head.popFirst(), head.isEmpty, let requestID = reader.bytes(), let decidedAt = reader.time(),
            let formats = reader.list(), formats.count <= Self.formatLimit, let limits = reader.list().flatMap(Self.limits),
            let score = reader.optionalNumber(),
            let model = reader.bytes(), reader.isAtEnd, let capture = Self.capture(level, score, model)
        else { return nil }
        self.init(
            requestID: requestID, decidedAt: decidedAt, purpose: purpose, assurance: assurance,
            formats: formats.map { EvidenceFormat(rawValue: String(decoding: $0, as: UTF8.self)) },
            platform: DevicePlatform(number: platform), match: match, simulated: simulated == 1, limits: limits,
            capture: capture)
    }

    /// `nil` if one is not known: without it more could be read into the verdict.
    private static func limits(_ stored: [[UInt8]]) -> [VerdictLimit]? {
        let limits = stored.compactMap { VerdictLimit(rawValue: String(decoding: $0, as: UTF8.self)) }
        return limits.count == stored.count ? limits : nil
    }

    /// `.some(nil)` where none is stored.
    ///
    /// - Parameter level: the level's number; 0: there is no capture.
    private static func capture(_ level: UInt8, _ score: Int64?, _ model: [UInt8]) -> Capture?? {
        guard level != 0 else { return score == nil && model.isEmpty ? .some(nil) : nil }
        let known = score.flatMap { UInt32(exactly: $0) }.flatMap(Score.init(millionths:))
        guard let level = ConfidenceLevel(rawValue: level), score == nil || known != nil, model.count <= Capture.modelLimit
        else { return nil }
        return Capture(level: level, score: known, model: model)
    }
}

extension DevicePlatform {
    fileprivate var number: UInt8 {
        switch self {
        case .iOS: 1
        case .android: 2
        }
    }

    fileprivate init?(number: UInt8) {
        guard let platform = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = platform
    }
}
