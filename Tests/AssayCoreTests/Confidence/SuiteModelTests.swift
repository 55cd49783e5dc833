import AssayCore
import Foundation
import Testing

@Suite("Evidence model of the profile suite")
struct SuiteModelTests {
    /// As another program writes it: words and numbers that Assay never writes, and every member.
    static let foreign =
        #"{"platform":"ios","confidence_level":"VERY_HIGH","confidence_score":0.896,"hardware_attestation":{"status":"verified","#
        + #""method":"app_attest","device_model":"iPhone 15 Pro"},"scene_analysis":{"status":"complete","is_likely_real_scene":true,"#
        + #""primary_method":"lidar","method_suite":"ios_lidar_full","breakdown":{"lidar":{"available":true,"depth_variance":2.4100,"#
        + #""depth_layers":5,"edge_coherence":0.8700,"score":0.95,"weight":0.55},"parallax":{"available":false,"#
        + #""reason":"LiDAR is primary","score":null,"weight":0},"moire":{"screen_detected":false,"frequency_peaks":[12.5,1e2],"#
        + #""score":0.88,"weight":0.15},"texture":{"classification":"natural","material_confidence":0.91,"score":0.82,"weight":0.15},"#
        + #""supporting":{"pwm_detected":false,"specular_uniformity":0.12,"halftone_detected":false,"score":0.79,"weight":0.15}},"#
        + #""cross_validation":{"methods_agree":true,"disagreement_score":0.055,"flagged":false},"final_score":0.896}}"#

    private func model(_ text: String) throws -> EvidenceModel { try EvidenceModel(parsing: Array(text.utf8)) }
    private func text(_ model: EvidenceModel) -> String { String(decoding: model.json, as: UTF8.self) }

    @Test("A model that another program wrote is read whole, and comes out as it came in")
    func foreign() throws {
        let model = try model(Self.foreign)
        #expect(text(model) == Self.foreign)
        #expect(model.level == .veryHigh && model.score?.description == "0.896" && model.platform == .iOS)
        let suite = try #require(model.suite)
        #expect(suite.hardware?.status == "verified" && suite.hardware?.deviceModel == "iPhone 15 Pro")
        #expect(suite.status == "complete" && suite.primaryMethod == "lidar" && suite.isLikelyRealScene == true)
        #expect(suite.methods.map(\.name) == ["lidar", "parallax", "moire", "texture", "supporting"])
        #expect(suite.methods.map { $0.score?.description } == ["0.95", nil, "0.88", "0.82", "0.79"])
        #expect(
            suite.methods.first?.detailTexts == [
                "available true", "depth_variance 2.4100", "depth_layers 5", "edge_coherence 0.8700",
            ])
        #expect(suite.methodsAgree == true && suite.disagreementScore?.description == "0.055" && suite.isFlagged == false)
        #expect(suite.finalScore?.description == "0.896")
    }

    @Test("Members that are not known are left out, at every depth")
    func unknown() throws {
        let more = Self.foreign.replacing("{", with: #"{"added_later":[1,{"a":null}],"#)
        #expect(text(try model(more)) == Self.foreign)
    }

    @Test("A missing platform reads as iOS, and null as not known")
    func platform() throws {
        #expect(try model(Self.foreign.replacing(#""platform":"ios","#, with: "")).platform == .iOS)
        #expect(try model(Self.foreign.replacing(#""platform":"ios""#, with: #""platform":null"#)).platform == nil)
        #expect(try model(#"{"confidence_level":"HIGH"}"#).platform == .iOS)
        #expect(try model(#"{"platform":null,"confidence_level":"HIGH"}"#).platform == nil)
    }

    @Test("Every member may be missing")
    func partial() throws {
        for member in ["status", "method_suite", "breakdown", "cross_validation", "final_score"] {
            let part = #"{"scene_analysis":{"primary_method":"lidar","# + #""\#(member)":null}}"#
            #expect(try model(part).suite?.primaryMethod == "lidar", "\(member)")
        }
        let hardware = try model(#"{"hardware_attestation":{"method":"strongbox"}}"#)
        #expect(hardware.suite?.hardware?.method == "strongbox" && hardware.suite?.status == nil)
        #expect(text(hardware).hasSuffix(#""scene_analysis":null}"#))
        let list = Self.foreign.replacing(#""ios_lidar_full""#, with: #"["lidar","moire"]"#)
        #expect(text(try model(list)) == list, "a suite may be a list")
    }

    @Test(
        "A member of another type, or a number out of its range, is refused",
        arguments: [
            (#""status":"complete""#, #""status":1"#),
            (#""is_likely_real_scene":true"#, #""is_likely_real_scene":"yes""#),
            (#""method_suite":"ios_lidar_full""#, #""method_suite":[1]"#),
            (#""available":true"#, #""available":"true""#),
            (#""depth_layers":5"#, #""depth_layers":"5""#),
            (#""frequency_peaks":[12.5,1e2]"#, #""frequency_peaks":["a"]"#),
            (#""classification":"natural""#, #""classification":{}"#),
            (#""disagreement_score":0.055"#, #""disagreement_score":1.1"#),
            (#""flagged":false"#, #""flagged":0"#),
            (#""final_score":0.896}"#, #""final_score":-1}"#),
            (#""weight":0.55"#, #""weight":55"#),
            (#""confidence_level":"VERY_HIGH""#, #""confidence_level":"HIGHEST""#),
            (#""platform":"ios""#, #""platform":"macos""#),
        ] as [(String, String)])
    func refused(_ known: String, _ wrong: String) throws {
        #expect(Self.foreign.contains(known))
        let text = Self.foreign.replacing(known, with: wrong, maxReplacements: 1)
        #expect(throws: Rejection(ReasonCode.malformed, "")) { try EvidenceModel(parsing: Array(text.utf8)) }
    }

    @Test("A long list of peaks or suites is refused")
    func bounds() {
        let peaks = "[" + Array(repeating: "1", count: 33).joined(separator: ",") + "]"
        let suites = "[" + Array(repeating: #""a""#, count: 17).joined(separator: ",") + "]"
        for text in [
            Self.foreign.replacing("[12.5,1e2]", with: peaks), Self.foreign.replacing(#""ios_lidar_full""#, with: suites),
            Self.foreign.replacing("ios_lidar_full", with: String(repeating: "a", count: 65)),
        ] {
            #expect(throws: Rejection(ReasonCode.malformed, "")) { try EvidenceModel(parsing: Array(text.utf8)) }
        }
    }

    @Test("Of a rejected verdict says nothing of the scene, and that of a test root says so")
    func ends() throws {
        let rejected = EvidenceModel(.rejected(.suite))
        #expect(try EvidenceModel(parsing: rejected.json).json == rejected.json)
        #expect(rejected.level == .rejected && rejected.suite?.methods.isEmpty == true)
        #expect(rejected.suite?.status == "not_judged" && rejected.suite?.hardware?.status == "not_judged")
        let simulated = EvidenceModel(
            ConfidenceRule(profile: .suite).assess(
                SceneAnalysis(.notSubmitted), platform: .iOS,
                HardwareAttestation(.secureElement, platform: .iOS, simulated: true)))
        #expect(text(simulated).contains(#""device_model":null,"simulated":true}"#))
        #expect(try EvidenceModel(parsing: simulated.json).suite?.hardware?.simulated == true)
    }
}
