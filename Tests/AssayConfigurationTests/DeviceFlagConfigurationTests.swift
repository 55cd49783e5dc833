import AssayConfiguration
import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import DaemonTesting

@Suite("Configuration of flags of devices")
struct DeviceFlagConfigurationTests {
    private let home: TestHome

    init() throws { home = try TestHome() }

    private func load(_ more: String) throws -> Configuration {
        let text = home.folder.text("assayd.yaml").replacing("  camera: {", with: "  camera: {\(more)")
        return try Configuration.load(try home.folder.write(text, to: "other.yaml"))
    }

    private func app(_ more: String) throws -> AppConfiguration {
        try #require(try load(more).live.apps.first { $0.id.text == "camera" })
    }

    @Test("Without the section no flag rejects; named flags do, and the policy's digest tells")
    func values() throws {
        let (without, with) = (try app(""), try app("device: {flags: {reject: [farm, counter_gap]}}, "))
        #expect(without.deviceFlags.rejected.isEmpty && with.deviceFlags.rejected == ["counter_gap", "farm"])
        #expect(without.policyDigest(testRoots: []) != with.policyDigest(testRoots: []))
        #expect(try app("device: {}, ").policyDigest(testRoots: []) == without.policyDigest(testRoots: []))
        #expect(with.policy(testRoots: []).text.contains("device.flags.reject = "))
        let summary = try load("device: {flags: {reject: [farm]}}, ").summary
        #expect(summary.contains("camera: rejects devices with a flag of farm"), "\(summary)")
    }

    @Test(
        "What is wrong with the section is reported at its value",
        arguments: [
            ("device: {flags: {reject: [Farm]}}, ", "apps.camera.device.flags.reject[0]"),
            ("device: {flags: {reject: []}}, ", "apps.camera.device.flags.reject"),
            ("device: {flags: {rejects: [farm]}}, ", "did you mean \"reject\"?"),
            ("device: {flag: {}}, ", "did you mean \"flags\"?"),
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
