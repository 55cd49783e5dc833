import AssayConfiguration
import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import DaemonTesting

@Suite("Configuration of enforcement")
struct EnforcementConfigurationTests {
    private let home: TestHome

    init() throws { home = try TestHome() }

    private func load(_ more: String) throws -> Configuration {
        let text = home.folder.text("assayd.yaml").replacing("  camera: {", with: "  camera: {\(more)")
        return try Configuration.load(try home.folder.write(text, to: "other.yaml"))
    }

    private func app(_ more: String) throws -> AppConfiguration {
        try #require(try load(more).live.apps.first { $0.id.text == "camera" })
    }

    @Test(
        "A word or a section says which rejections are enforced",
        arguments: [
            ("", EnforcementRule()), ("enforce: always, ", EnforcementRule()), ("enforce: report, ", EnforcementRule(share: 0)),
            ("enforce: {share: 10%}, ", EnforcementRule(share: 1000)), ("enforce: {share: 0.5%}, ", EnforcementRule(share: 50)),
            ("enforce: {share: 33.33%}, ", EnforcementRule(share: 3333)), ("enforce: {share: 100%}, ", EnforcementRule()),
            ("enforce: {report: everything}, ", EnforcementRule(share: 0, reportsEverything: true)),
            ("enforce: {share: 50%, report: rejections}, ", EnforcementRule(share: 5000)),
        ])
    func values(_ text: String, _ rule: EnforcementRule) throws { #expect(try app(text).enforcement == rule) }

    @Test("It bears on no verdict, and is told: in the summary, and as a warning that is intended")
    func told() throws {
        let (without, with) = (try app(""), try app("enforce: report, "))
        #expect(without.policyDigest(testRoots: []) == with.policyDigest(testRoots: []))
        let loaded = try load("enforce: {share: 10%}, ")
        let told = loaded.summary.contains { $0.hasPrefix("camera: enforces the verdicts of 10% of its devices") }
        #expect(told, "\(loaded.summary)")
        let findings = loaded.warnings.filter { $0.code == .verdictsNotEnforced }
        #expect(findings.map(\.path) == ["apps.camera.enforce"] && findings.allSatisfy(\.code.isDeliberate))
        #expect(try load("enforce: always, ").warnings.allSatisfy { $0.code != .verdictsNotEnforced })
    }

    @Test("A shadow policy enforces nothing by itself")
    func shadow() throws {
        let app = try app("enforce: report, shadow: {accept_simulated: true}, ")
        #expect(app.shadowed?.enforcement == EnforcementRule())
    }

    @Test(
        "What is wrong is reported at its place, with what is wanted",
        arguments: [
            ("enforce: reports, ", "did you mean \"report\"?"), ("enforce: false, ", "want one of always, report"),
            ("enforce: [report], ", "apps.camera.enforce"), ("enforce: {}, ", "apps.camera.enforce"),
            ("enforce: {share: 10}, ", "apps.camera.enforce.share"), ("enforce: {share: 0.1}, ", "such as 10% or 0.5%"),
            ("enforce: {share: 101%}, ", "apps.camera.enforce.share"),
            ("enforce: {share: 100.01%}, ", "apps.camera.enforce.share"),
            ("enforce: {share: -1%}, ", "apps.camera.enforce.share"),
            ("enforce: {share: 1.234%}, ", "apps.camera.enforce.share"),
            ("enforce: {share: .5%}, ", "apps.camera.enforce.share"), ("enforce: {share: 10 %}, ", "apps.camera.enforce.share"),
            ("enforce: {share: ten%}, ", "apps.camera.enforce.share"), ("enforce: {shares: 10%}, ", "did you mean \"share\"?"),
            ("enforce: {report: all}, ", "want one of rejections, everything"),
            ("enforce: {share: 100%, report: everything}, ", "apps.camera.enforce.report"),
        ])
    func problems(_ more: String, _ problem: String) throws {
        do {
            _ = try load(more)
            Issue.record("\(more) was accepted")
        } catch let error as ConfigurationError {
            #expect("\(error)".contains(problem), "\(error)")
        }
    }
}
