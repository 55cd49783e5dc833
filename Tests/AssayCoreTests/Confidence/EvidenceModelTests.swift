import AssayCore
import Crypto
import Foundation
import Testing

/// A vector of `docs/vectors/confidence-v1.json`, which a second implementation made from the text of `docs/reference/confidence-profiles.md`.
struct ConfidenceVector: Decodable {
    let id: String
    let profile: String
    let platform: String?
    let assurance: String
    /// Empty: no signals were submitted.
    let document: String
    let evidenceModel: String
}

/// An evidence model of an older version. What it does not say is `nil`.
struct OlderModel: Decodable {
    let id: String
    let json: String
    let level: String?
    let platform: String?
    let scoreMillionths: UInt32?
    let hardwareStatus: String?
    let profile: String?
    let signals: [String]?
}

private struct VectorFile: Decodable {
    let vectors: [ConfidenceVector]
    let older: [OlderModel]

    static func read() throws -> VectorFile {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Self.self, from: try Data(contentsOf: docs.appending(path: "vectors/confidence-v1.json")))
    }
}

@Suite("Evidence model")
struct EvidenceModelTests {
    private func confidence(_ vector: ConfidenceVector) throws -> Confidence {
        let profile = try #require(ConfidenceProfile(rawValue: vector.profile))
        let platform = try vector.platform.map { try #require(DevicePlatform(rawValue: $0)) }
        let assurance = try #require(Assurance.allCases.first { $0.name == vector.assurance })
        let document = Array(vector.document.utf8)
        let scene =
            if document.isEmpty {
                SceneAnalysis(.notSubmitted)
            } else {
                SceneAnalysis(counted: try SignalDocument(parsing: document), digest: Array(SHA256.hash(data: document)))
            }
        return ConfidenceRule(profile: profile).assess(
            scene, platform: platform, HardwareAttestation(assurance, platform: platform, simulated: false))
    }

    @Test("Equals that of the second implementation, byte for byte")
    func vectors() throws {
        let vectors = try VectorFile.read().vectors
        #expect(vectors.count > 40)
        for vector in vectors {
            let model = EvidenceModel(try confidence(vector))
            #expect(String(decoding: model.json, as: UTF8.self) == vector.evidenceModel, "\(vector.id)")
            #expect(try EvidenceModel(parsing: model.json) == model, "\(vector.id)")
        }
    }

    @Test("Of an older version is read, and says what it has")
    func older() throws {
        let olderModels = try VectorFile.read().older
        #expect(olderModels.count > 4)
        for older in olderModels {
            let model = try EvidenceModel(parsing: Array(older.json.utf8))
            #expect(model.level?.name == older.level, "\(older.id)")
            #expect(model.platform?.rawValue == older.platform, "\(older.id)")
            #expect(model.score?.millionths == older.scoreMillionths, "\(older.id)")
            #expect(model.hardware?.status?.rawValue == older.hardwareStatus, "\(older.id)")
            #expect(model.breakdown?.profile?.rawValue == older.profile, "\(older.id)")
            #expect(model.scene?.signals.map(\.name) == older.signals, "\(older.id)")
            #expect(model.crossValidation == nil)
            #expect(try EvidenceModel(parsing: model.json) == model, "\(older.id) can be written")
        }
    }

    @Test("Of a rejected verdict says nothing of signals")
    func rejected() throws {
        let model = EvidenceModel(.rejected(.weighted))
        #expect(try EvidenceModel(parsing: model.json) == model)
        #expect(model.level == .rejected && model.hardware?.status == .notJudged && model.scene?.signals.isEmpty == true)
    }

    @Test("Has the members of its description, in order")
    func members() throws {
        let text = String(decoding: EvidenceModel(.rejected(.mvp)).json, as: UTF8.self)
        let names = [
            "version", "platform", "confidence_level", "confidence_score", "hardware_attestation", "scene_analysis",
            "breakdown", "cross_validation",
        ]
        let places = try names.map { name in try #require(text.range(of: "\"\(name)\":")).lowerBound }
        #expect(places == places.sorted())
    }

    @Test(
        "Is refused if it is no object, has a member of another type, or a word or number that is none",
        arguments: [
            "", "[]", "{", "{}x", #"{"confidence_level":"higher"}"#, #"{"confidence_level":1}"#, #"{"confidence_score":1.5}"#,
            #"{"confidence_score":"0.5"}"#, #"{"platform":"windows"}"#, #"{"hardware_attestation":"pass"}"#,
            #"{"hardware_attestation":{"status":"maybe"}}"#, #"{"scene_analysis":{"media":{}}}"#,
            #"{"scene_analysis":{"media":[{}]}}"#, #"{"scene_analysis":{"signals":{"lidar":{"score":2}}}}"#,
            #"{"scene_analysis":{"signals_sha256":"ab"}}"#, #"{"breakdown":{"parts":[1]}}"#, #"{"breakdown":{"parts":[{}]}}"#,
            #"{"cross_validation":{"result":"sometimes"}}"#, #"{"platform":"ios","platform":"ios"}"#,
            "{\"breakdown\":{\"parts\":[\(Array(repeating: #"{"name":"a"}"#, count: 17).joined(separator: ","))]}}",
        ])
    func refused(_ text: String) {
        #expect(throws: Rejection(ReasonCode.malformed, "")) { try EvidenceModel(parsing: Array(text.utf8)) }
    }

    @Test("Is at most half as long as what is read")
    func longest() throws {
        let signals = (10..<42).map { number in
            Signal(name: String(repeating: "s", count: 30) + "\(number)", value: .outcome(.unavailable))
        }
        let media = (0..<16).map { [UInt8](repeating: UInt8($0), count: 32) }
        let scene = SceneAnalysis(
            counted: SignalDocument(media: media, signals: signals), digest: [UInt8](repeating: 0, count: 32))
        let confidence = ConfidenceRule(profile: .weighted).assess(
            scene, platform: .android, HardwareAttestation(.hardware, platform: .android, simulated: true))
        #expect(EvidenceModel(confidence).json.count < EvidenceModel.sizeLimit / 2)
    }
}
