import AssayCore
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Commands about confidence")
    struct ConfidenceCommandTests {
        private static let document =
            #"{"version":1,"media":[{"sha256":"\#(String(repeating: "ab", count: 32))"}],"signals":"#
            + #"{"lidar":{"score":0.95},"moire":{"score":0.88},"texture":{"score":0.82},"supporting":{"score":0.79}}}"#

        private func object(_ text: String) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }

        @Test("assay confidence score computes the worked example")
        func score() async throws {
            let text = try await Child.run(
                "assay", ["confidence", "score", "-", "--platform", "ios"], input: Self.document)
            let headline = try #require(text.lines.first, "\(text)")
            #expect(text.status == 0 && headline.hasPrefix("  level     high, score 0.9408 (profile weighted, ios, "))
            #expect(text.out.contains("before cross-validation 0.896, cross-validation: agree"), "\(text)")
            #expect(text.lines.contains("  part      lidar: 0.95, weight 0.55, contributes 0.5225"), "\(text)")
            let json = try await Child.run(
                "assay",
                [
                    "confidence", "score", "-", "--platform", "android", "--assurance", "hardware", "--profile", "mvp",
                    "--json",
                ], input: Self.document)
            #expect(try object(json.out)["confidence_level"] as? String == "medium", "\(json)")
        }

        @Test("assay confidence score applies the rule of an app of a configuration")
        func configured() async throws {
            let home = try TestHome()
            let text = home.folder.text("assayd.yaml")
            let strict = "confidence: {profile: weighted, thresholds: {high: 0.95}}, accept_simulated"
            try home.folder.write(text.replacing("accept_simulated", with: strict, maxReplacements: 1), to: "assayd.yaml")
            func run(_ app: String) async throws -> Child.Ending {
                try await Child.run(
                    "assay",
                    ["confidence", "score", "-", "--platform", "ios", "--config", home.configuration, "--app", app, "--json"],
                    input: Self.document)
            }
            let camera = try await run("camera")
            #expect(camera.status == 0, "\(camera)")
            #expect(try object(camera.out)["confidence_level"] as? String == "medium_high")
            let other = try await run("other")
            #expect(other.status == 65 && other.err.contains("has no section confidence"), "\(other)")
        }

        @Test("assay confidence score reads documents of version 2, and prints what stands out")
        func captures() async throws {
            let metadata =
                #""metadata":{"captured_at":"2026-04-21T18:13:13Z","model":"iPhone 15 Pro"},"flags":{"device":"none"}}"#
            let document = Self.document.replacing("\"version\":1", with: "\"version\":2").dropLast() + "," + metadata
            func run(_ more: String...) async throws -> Child.Ending {
                try await Child.run(
                    "assay", ["confidence", "score", "-", "--platform", "ios", "--profile", "suite"] + more,
                    input: String(document))
            }
            let text = try await run()
            #expect(
                text.status == 0
                    && text.lines.first?.hasPrefix("  level     medium, score 0.9408 (profile suite, ios, ") == true, "\(text)")
            #expect(text.out.contains("methods agree, disagreement 0.055"), "\(text)")
            #expect(
                text.out.contains("  method    lidar: 0.95, weight 0.55, measured by the device, available true"), "\(text)")
            #expect(
                text.out.contains("  note      metadata_flags_violated: flags.device is none, and metadata.model is there"),
                "\(text)")
            #expect(!text.out.contains("capture_time_off"), "the time is judged only if it is asked for")
            #expect(try await run("--received-at", "2026-04-21T19:00:00Z").out.contains("  note      capture_time_off: "))
            let json = try object(try await run("--json").out)
            #expect(json["confidence_level"] as? String == "medium" && json["version"] == nil)
            #expect((json["scene_analysis"] as? [String: Any])?["method_suite"] as? String == "iphone_lidar")
        }

        @Test("assay confidence show reads a model that another program wrote, and writes the same members")
        func foreign() async throws {
            let model =
                #"{"platform":"ios","confidence_level":"VERY_HIGH","confidence_score":0.896,"hardware_attestation":{"status":"verified","#
                + #""method":"app_attest","device_model":"iPhone 15 Pro"},"scene_analysis":{"status":"complete","is_likely_real_scene":true,"#
                + #""primary_method":"lidar","method_suite":"full","breakdown":{"lidar":{"available":true,"depth_variance":2.4,"#
                + #""depth_layers":5,"edge_coherence":0.87,"score":0.95,"weight":0.55},"parallax":{"available":false,"#
                + #""reason":"not needed","score":null,"weight":0},"moire":{"screen_detected":false,"frequency_peaks":[],"#
                + #""score":0.88,"weight":0.15},"texture":{"classification":"natural","material_confidence":0.91,"score":0.82,"weight":0.15},"#
                + #""supporting":{"pwm_detected":false,"specular_uniformity":0.12,"halftone_detected":false,"score":0.79,"weight":0.15}},"#
                + #""cross_validation":{"methods_agree":true,"disagreement_score":0.055,"flagged":false},"final_score":0.896}}"#
            let text = try await Child.run("assay", ["confidence", "show", "-"], input: model)
            #expect(
                text.status == 0
                    && text.lines.first?.hasPrefix("  level     very_high, score 0.896 (profile suite, ios, ") == true,
                "\(text)")
            #expect(text.out.contains("  hardware  verified (app_attest) on iPhone 15 Pro"), "\(text)")
            #expect(
                text.out.contains("  method    moire: 0.88, weight 0.15, screen_detected false, frequency_peaks []"), "\(text)")
            let json = try await Child.run("assay", ["confidence", "show", "-", "--json"], input: model)
            let same = try NSDictionary(dictionary: object(json.out)).isEqual(to: object(model))
            #expect(same, "\(json)")
        }

        @Test("assay confidence show reads models of older versions, and refuses other files with 65")
        func show() async throws {
            let older = try await Child.run("assay", ["confidence", "show", "-"], input: #"{"confidence_level":"HIGH"}"#)
            #expect(older.status == 0 && older.lines == ["  level     high (ios)"], "\(older)")
            let again = try await Child.run(
                "assay", ["confidence", "show", "-", "--json"], input: #"{"confidence_score":0.25}"#)
            let shown = try object(again.out)
            #expect(shown["confidence_score"] as? Double == 0.25 && shown["confidence_level"] is NSNull, "\(again)")
            for input in ["", "[]", #"{"confidence_level":"best"}"#] {
                let broken = try await Child.run("assay", ["confidence", "show", "-"], input: input)
                #expect(broken.status == 65 && !broken.err.isEmpty, "\(broken)")
            }
            let signals = try await Child.run("assay", ["confidence", "score", "-", "--platform", "ios"], input: "{}")
            #expect(signals.status == 65 && signals.err.contains("version is not 1"), "\(signals)")
            let usage = try await Child.run(
                "assay", ["confidence", "score", "-", "--platform", "ios", "--config", "a"], input: Self.document)
            #expect(usage.status == 64)
        }

        @Test("assay verify --signals sends what the device signed, and prints level, score and breakdown")
        func verify() async throws {
            let home = try TestHome()
            let phone = home.folder.file("phone")
            let made = try await Child.run("assay", ["simulate", "phone", phone, "--app-id", TestHome.appID])
            try #require(made.status == 0)
            let rule = "confidence: {profile: weighted, require: high}, accept_simulated"
            let text = home.folder.text("assayd.yaml").replacing("[root.pem]", with: "[phone/root.pem]")
                .replacing("accept_simulated", with: rule, maxReplacements: 1)
            try home.folder.write(text, to: "assayd.yaml")
            let daemon = try await TestDaemon(home)
            let server = ["ASSAY_SERVER": try daemon.address("tcp")]
            func assay(_ arguments: [String], input: String = "") async throws -> Child.Ending {
                try await Child.run("assay", arguments, input: input, environment: server)
            }
            func challenge(_ purpose: String) async throws -> String {
                try await assay(["challenge", "--app", "camera", "--purpose", purpose]).out.trimmingCharacters(in: .newlines)
            }
            let enrolment = try await challenge("register")
            let attestation = home.folder.file("attestation")
            let attested = try await assay(["simulate", "attest", phone, "--challenge", enrolment, "--out", attestation])
            let keyID = try #require(attested.lines.first?.words.last)
            let registered = try await assay([
                "verify", "--app", "camera", "--challenge", enrolment, "--key-id", keyID, "--attestation", attestation,
            ])
            #expect(registered.status == 0 && registered.out.contains("  level     low"), "\(registered)")

            let signals = try home.folder.write(Self.document, to: "signals.json")
            func upload(_ signals: String, _ more: String...) async throws -> Child.Ending {
                let asked = try await challenge("assert")
                let assertion = try await assay(["simulate", "assert", phone, "--challenge", asked, "--payload", signals])
                return try await assay(
                    ["verify", "--app", "camera", "--challenge", asked, "--key-id", keyID, "--assertion", "-"] + more,
                    input: assertion.out)
            }
            let accepted = try await upload(signals, "--signals", signals)
            #expect(accepted.status == 0 && accepted.out.contains("  level     high, score 0.9408 ("), "\(accepted)")
            #expect(accepted.out.contains("  media     SHA-256 " + String(repeating: "ab", count: 32)), "\(accepted)")
            let json = try await upload(signals, "--signals", signals, "--json")
            let model = try #require(try object(json.out)["confidence"] as? [String: Any], "\(json)")
            #expect(model["confidence_score"] as? Double == 0.9408 && model["platform"] as? String == "ios")
            let without = try await upload(signals, "--payload", signals)
            #expect(without.status == 1, "\(without)")
            #expect(without.out.hasPrefix("REJECTED  confidence_too_low (check confidence"), "\(without)")
            #expect(without.out.contains("  level     low"), "\(without)")
            let both = try await assay([
                "verify", "--app", "camera", "--challenge", "AA", "--key-id", "AA", "--assertion", "a", "--payload", "a",
                "--signals", "a",
            ])
            #expect(both.status == 64)
            #expect(await daemon.stop().status == 0)
        }
    }
}
