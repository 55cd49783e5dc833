import AssayConfiguration
import AssayCore
import AssaySchemes
import AssayService
import AssaySimulator
import Foundation
import Testing

@testable import AssayDaemon
@testable import DaemonTesting

@Suite("Configuration of recordings and shadow policies")
struct RecordConfigurationTests {
    private let home: TestHome

    init() throws { home = try TestHome(android: AndroidAuthority(seed: "record configuration")) }

    private func app(_ more: String) throws -> AppConfiguration {
        try #require(try load(more).live.apps.first { $0.id.text == "camera" })
    }

    private func load(_ more: String) throws -> Configuration {
        let text = home.folder.text("assayd.yaml").replacing("  camera: {", with: "  camera: {\(more)")
        return try Configuration.load(try home.folder.write(text, to: "other.yaml"))
    }

    @Test("Without the sections nothing is recorded, and no policy judges beside")
    func none() throws {
        let app = try app("")
        #expect(app.recording == nil && app.shadow == nil && app.shadowed == nil)
    }

    @Test("An empty section records everything for a week, without evidence; each key is read")
    func record() throws {
        #expect(try app("record: {}, ").recording == RecordingRule())
        var rule = RecordingRule()
        (rule.accepted, rule.rejected, rule.age, rule.bytes, rule.keepsEvidence) = (0.25, 0, 86_400_000, 1 << 21, true)
        #expect(
            try app("record: {accepted: 0.25, rejected: 0, keep: 1d, max_bytes: 2097152, evidence: true}, ").recording == rule)
        let summary = try load("record: {accepted: 0.25, keep: 1d}, ").summary
        #expect(
            summary.contains("camera: records what 25.0 % of accepted and all rejected verdicts went by for 1d"), "\(summary)")
    }

    @Test(
        "What is wrong with a section is reported at its value",
        arguments: [
            ("record: {accepted: 2}, ", "apps.camera.record.accepted: want a number from 0 to 1"),
            ("record: {accepted: 0, rejected: 0}, ", "it records nothing"),
            ("record: {evidnce: true}, ", "did you mean \"evidence\"?"), ("record: {keep: 1s}, ", "apps.camera.record.keep"),
            ("shadow: {}, ", "it states nothing otherwise"), ("shadow: {record: {}}, ", "unknown key \"record\""),
            ("shadow: {android: {packages: []}}, ", "apps.camera.shadow.android"),
            ("shadow: {max_devices_per_subject: 3}, ", "unknown key"),
            (
                "shadow: {app_attest: {identities: [{app_id: T.a}], extra_roots: [root.pem]}}, ",
                "apps.camera.shadow.app_attest.extra_roots"
            ),
        ])
    func problems(_ more: String, _ problem: String) throws {
        do {
            _ = try load(more)
            Issue.record("\(more) was accepted")
        } catch let error as ConfigurationError {
            #expect("\(error)".contains(problem), "\(error)")
        }
    }

    @Test("A shadow policy is the app with what it states otherwise, and bears on no digest of the app")
    func shadow() throws {
        let plain = try app("")
        let app = try app(
            "record: {}, shadow: {accept_simulated: false, binding: {payload: required}, app_attest: {identities: [{app_id: T.b}]}}, "
        )
        let other = try #require(app.shadowed)
        #expect(other.id == app.id && !other.acceptsSimulated && other.binding.payloadRequired && other.shadow == nil)
        #expect(other.recording == nil && other.sections.map(\.key) == app.sections.map(\.key))
        let lines = PolicyDifference(plain.policy(testRoots: []).text, other.policy(testRoots: []).text).lines.map(\.key)
        #expect(
            Set(["accept_simulated", "binding.payload"]).isSubset(of: lines) && !lines.contains { $0.hasPrefix("android") })
        #expect(app.policyDigest(testRoots: []) == plain.policyDigest(testRoots: []))
        #expect(other.policyDigest(testRoots: []) != plain.policyDigest(testRoots: []))
    }

    @Test("Every setting of a policy's text is either listed as shown by claims, or hidden; listed ones exist")
    func shownKeys() throws {
        let live = try load("").live
        let text = try #require(live.apps.first { $0.id.text == "camera" }).policy(testRoots: live.testRoots).text
        let keys = PolicyDifference(text, "").lines.map(\.key)
        var count = 0
        for scheme in builtInSchemes {
            guard let section = scheme.sectionKey else { continue }
            let page = try Package.text("docs/reference/configuration/\(section).md")
            for key in scheme.keysShownByClaims {
                let last = key.split(separator: ".").last.map(String.init) ?? key
                let isInText = keys.contains {
                    $0 == "\(section).\(key)" || $0.hasPrefix("\(section).\(key).") || $0.hasPrefix("\(section).\(key)[")
                }
                #expect(isInText || page.contains("| `\(last)` |"), "\(section).\(key)")
                count += 1
            }
        }
        #expect(count > 15)
    }
}
