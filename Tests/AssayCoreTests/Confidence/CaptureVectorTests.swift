import AssayCore
import Crypto
import Foundation
import Testing

/// A vector of `docs/vectors/captures-v2.json`, which a second implementation made from the text of `docs/reference/capture-documents.md`.
private struct CaptureVector: Decodable {
    let id: String
    let platform: String?
    let assurance: String
    let strictDepth: Bool
    let receivedAt: String
    let document: String
    let level: String
    let notes: [String]
    let evidenceModel: String

    static func read() throws -> [CaptureVector] {
        struct File: Decodable { let vectors: [CaptureVector] }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(File.self, from: try Data(contentsOf: docs.appending(path: "vectors/captures-v2.json")))
            .vectors
    }

    var scene: SceneAnalysis {
        get throws {
            let document = Array(document.utf8)
            return SceneAnalysis(counted: try SignalDocument(parsing: document), digest: Array(SHA256.hash(data: document)))
        }
    }

    func assess(
        _ profile: ConfidenceProfile = .suite, measured: [String: Signal.Outcome] = [:], required: ConfidenceLevel? = nil
    ) throws -> Confidence {
        let platform = try platform.map { try #require(DevicePlatform(rawValue: $0)) }
        let assurance = try #require(Assurance.allCases.first { $0.name == self.assurance })
        let time: Timestamp = try #require(Timestamp(rfc3339: receivedAt))
        return ConfidenceRule(profile: profile, required: required, isDepthStrict: strictDepth).assess(
            try scene.with(measured: measured), platform: platform,
            HardwareAttestation(assurance, platform: platform, simulated: false),
            receivedAt: time)
    }

    static func named(_ id: String) throws -> CaptureVector { try #require(try read().first { $0.id == id }) }
}

@Suite("The profile suite")
struct SuiteProfileTests {
    @Test("Level, notes and evidence model equal those of the second implementation, byte for byte")
    func vectors() throws {
        let vectors = try CaptureVector.read()
        #expect(vectors.count > 80)
        for vector in vectors {
            let confidence = try vector.assess()
            #expect(confidence.level.name == vector.level, "\(vector.id)")
            #expect(confidence.notes.map(\.code.rawValue) == vector.notes, "\(vector.id)")
            let model = EvidenceModel(confidence)
            #expect(String(decoding: model.json, as: UTF8.self) == vector.evidenceModel, "\(vector.id)")
            #expect(try EvidenceModel(parsing: model.json).json == model.json, "\(vector.id) can be read")
        }
        let notes = Set(vectors.flatMap(\.notes))
        #expect(notes == Set(ConfidenceNote.Code.allCases.map(\.rawValue)), "every note has a vector")
        #expect(Set(vectors.map(\.level)) == Set(ConfidenceLevel.allCases.map(\.name)), "every level has a vector")
    }

    @Test("The worked example is 0.9408 with a disagreement of 0.055, and very_high on an iPhone with LiDAR alone")
    func workedExample() throws {
        let lidar = try CaptureVector.named("worked-example").assess()
        #expect(lidar.score?.description == "0.9408" && lidar.breakdown.weightedScore?.description == "0.896")
        #expect(lidar.suite?.disagreement?.description == "0.055" && lidar.level == .veryHigh)
        #expect(lidar.suite?.kind == .iPhoneWithLiDAR && lidar.suite?.isLikelyRealScene == true)
        #expect(try CaptureVector.named("parallax-primary").assess().level == .high)
        #expect(try CaptureVector.named("parallax-android").assess().level == .mediumHigh)
        let aggregate = try CaptureVector.named("aggregate-far").assess()
        #expect(aggregate.level == .veryHigh, "another score of the app is noted, and changes no level")
    }

    @Test("The other profiles have no very_high, and no model of this shape", arguments: [ConfidenceProfile.mvp, .weighted])
    func otherProfiles(_ profile: ConfidenceProfile) throws {
        for vector in try CaptureVector.read() {
            let confidence = try vector.assess(profile)
            #expect(confidence.level <= .high && confidence.suite == nil, "\(vector.id)")
            let model = EvidenceModel(confidence)
            #expect(model.suite == nil)
            #expect(try EvidenceModel(parsing: model.json) == model, "\(vector.id)")
        }
    }

    @Test("In the profile mvp depth numbers are the check depth, and metadata that violate their flags the check metadata")
    func checks() throws {
        #expect(try CaptureVector.named("depth-real").assess(.mvp).level == .high)
        #expect(try CaptureVector.named("depth-ramp-claimed").assess(.mvp).level == .suspicious)
        #expect(try CaptureVector.named("flags-serial").assess(.mvp).level == .suspicious)
        #expect(try CaptureVector.named("flags-opted-out").assess(.mvp).level == .high, "opting out is never suspicious")
        #expect(try CaptureVector.named("time-late").assess(.mvp).level == .high)
        #expect(try CaptureVector.named("time-15-01").assess(.mvp).level == .suspicious)
        let parts = try CaptureVector.named("depth-real").assess(.mvp).breakdown.parts
        #expect(parts.map(\.source) == [nil, .device, nil])
    }

    @Test("What the server measured takes the place of the app's word, and says so")
    func measured() throws {
        let vector = try CaptureVector.named("worked-example")
        let failed = try vector.assess(measured: ["lidar": .fail])
        #expect(failed.level < .medium && failed.crossValidation == .disagree && failed.suite?.isLikelyRealScene == false)
        #expect(failed.breakdown.parts.map(\.source) == [.server, .device, .device, .device])
        let text = String(decoding: EvidenceModel(failed).json, as: UTF8.self)
        #expect(text.contains(#""score":0,"weight":0.55,"source":"server"}"#))
        let contradicted = try CaptureVector.named("depth-ramp-claimed")
        #expect(try contradicted.assess(measured: ["lidar": .pass]).level == .veryHigh)
        #expect(try vector.assess(.mvp, measured: ["lidar": .unavailable]).level == .medium)
        let version1 = try CaptureVector.named("worked-example-version-1").assess(.weighted, measured: ["moire": .pass])
        #expect(version1.breakdown.parts.map(\.source) == [nil, .server, nil, nil])
    }

    @Test("Numbers of the app that the server's measurement contradicts are not shown beside it; those that agree with it stay")
    func contradictedNumbers() throws {
        func lidar(_ name: String, _ outcome: Signal.Outcome) throws -> String {
            let confidence = try CaptureVector.named(name).assess(measured: ["lidar": outcome])
            let text = String(decoding: EvidenceModel(confidence).json, as: UTF8.self)
            return String(text.split(separator: #""lidar":{"available":"#)[1].prefix { $0 != "}" })
        }
        let none = #""depth_variance":null,"depth_layers":null,"edge_coherence":null,"score":"#
        let scene = #""depth_variance":1.3218,"depth_layers":3,"edge_coherence":0.3765,"score":"#
        #expect(try lidar("depth-real", .pass).hasPrefix("true," + scene + "1,"))
        #expect(try lidar("depth-real", .fail).hasPrefix("true," + none + "0,"))
        #expect(try lidar("depth-real", .unavailable).hasPrefix("false," + none + "null,"))
        #expect(try lidar("depth-ramp-claimed", .pass).hasPrefix("true," + none + "1,"))
        #expect(try !lidar("depth-ramp-claimed", .fail).hasPrefix("true," + none))
    }

    @Test("A capture that violates its flags is rejected where the rule says so, before its level counts")
    func violation() throws {
        let confidence = try CaptureVector.named("flags-serial").assess()
        let rule = ConfidenceRule(profile: .suite, required: .veryHigh, rejectsViolatedFlags: true)
        let refusal = try #require(rule.refusal(of: confidence))
        #expect(refusal.code.builtIn == .metadataFlagsViolated)
        #expect(refusal.detail == "flags.device is model_only, and metadata.device.serial is there")
        #expect(ConfidenceRule(profile: .suite).refusal(of: confidence) == nil)
        #expect(ConfidenceRule(profile: .suite, required: .veryHigh).refusal(of: confidence)?.code.builtIn == .confidenceTooLow)
        let optedOut = try CaptureVector.named("flags-opted-out").assess()
        #expect(rule.refusal(of: optedOut)?.code.builtIn == .confidenceTooLow)
    }

    @Test("Notes name places, times and values")
    func notes() throws {
        func detail(_ id: String) throws -> String? { try CaptureVector.named(id).assess().notes.first?.detail }
        #expect(
            try detail("time-late") == "captured at 2026-04-01T00:00:00Z, received at 2026-04-21T18:20:00Z")
        #expect(
            try detail("time-15-01")
                == "captured at 2026-04-21T18:04:59Z, received at 2026-04-21T18:20:00Z; want at most 15 min between them")
        #expect(try detail("flags-opted-out") == "opted out of location, timestamp, device")
        #expect(
            try detail("flags-too-precise")
                == "flags.location is coarse, and metadata.location is more precise than 0.01 degrees")
        #expect(
            try detail("depth-ramp-claimed")
                == "depth.is_likely_real_scene is true, but variance 0.0289, want above 0.5; edge_coherence 0, want above 0.3; "
                + "a range of 0.1 m, want at least 0.15 m")
        #expect(try detail("aggregate-far") == "final_score is 0.5, computed is 0.9408; want a difference of at most 0.01")
    }

    @Test("Levels project on the older four")
    func projection() {
        let projected = ConfidenceLevel.allCases.map(\.amongFour)
        #expect(projected == [.suspicious, .suspicious, .low, .medium, .medium, .high, .high])
        #expect(ConfidenceLevel(name: "VERY_HIGH".utf8) == .veryHigh && ConfidenceLevel.veryHigh > .high)
    }

    @Test("Thresholds do not rise from very_high on")
    func thresholds() throws {
        let (high, low) = (try #require(Score(millionths: 800_000)), try #require(Score(millionths: 100_000)))
        let below = try #require(Score(millionths: 799_999))
        #expect(ConfidenceRule.Thresholds(veryHigh: below, high: high, mediumHigh: high, medium: low, low: low) == nil)
        #expect(ConfidenceRule.Thresholds(veryHigh: high, high: high, mediumHigh: high, medium: low, low: low) != nil)
        #expect(ConfidenceRule(profile: .suite).thresholds.veryHigh?.description == "0.9")
        #expect(ConfidenceRule(profile: .weighted).thresholds == .usual && ConfidenceRule.Thresholds.usual.veryHigh == nil)
    }

    @Test("A policy has the new settings only where they are set")
    func policy() {
        func text(_ rule: ConfidenceRule) -> String {
            var policy = PolicyText("test")
            rule.describe(in: &policy)
            return policy.text
        }
        let weighted = text(ConfidenceRule(profile: .weighted))
        #expect(!weighted.contains("very_high") && !weighted.contains("strict_depth") && !weighted.contains("flags_violated"))
        let suite = text(ConfidenceRule(profile: .suite, isDepthStrict: true, rejectsViolatedFlags: true))
        #expect(suite.contains("very_high") && suite.contains("strict_depth") && suite.contains("flags_violated"))
        #expect(!suite.contains("medium_high"))
    }
}
