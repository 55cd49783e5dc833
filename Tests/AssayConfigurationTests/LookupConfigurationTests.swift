import AssayConfiguration
import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import DaemonTesting

@Suite("Configuration of look-ups")
struct LookupConfigurationTests {
    private let home: TestHome

    init() throws { home = try TestHome() }

    private func load(_ more: String) throws -> Configuration {
        let text = home.folder.text("assayd.yaml").replacing("  camera: {", with: "  camera: {\(more)")
        return try Configuration.load(try home.folder.write(text, to: "other.yaml"))
    }

    private func app(_ more: String) throws -> AppConfiguration {
        try #require(try load(more).live.apps.first { $0.id.text == "camera" })
    }

    @Test("Without the section nothing is kept; an empty one keeps verdicts for 90 days, and from 1 h to 3660 d can be said")
    func keep() throws {
        #expect(try app("").lookup == nil)
        #expect(try app("lookup: {}, ").lookup?.age == 90 * 86_400_000)
        for (text, age) in [("1h", 3_600_000), ("30d", 30 * 86_400_000), ("3660d", 3660 * 86_400_000)] as [(String, Int64)] {
            #expect(try app("lookup: {keep: \(text)}, ").lookup?.age == age)
        }
        let summary = try load("lookup: {keep: 30d}, ").summary
        #expect(
            summary.contains("camera: accepted verdicts can be looked up by the hash of what the device signed for 30d"),
            "\(summary)")
    }

    @Test(
        "What is wrong with the section is reported at its value",
        arguments: [
            ("lookup: {keep: 59m}, ", "apps.camera.lookup.keep"), ("lookup: {keep: 3661d}, ", "apps.camera.lookup.keep"),
            ("lookup: {kep: 1d}, ", "did you mean \"keep\"?"), ("lookup: yes, ", "apps.camera.lookup"),
            ("shadow: {lookup: {}}, ", "unknown key \"lookup\""),
        ])
    func problems(_ more: String, _ problem: String) throws {
        do {
            _ = try load(more)
            Issue.record("\(more) was accepted")
        } catch let error as ConfigurationError {
            #expect("\(error)".contains(problem), "\(error)")
        }
    }

    @Test("The section bears on no policy digest, and a shadow policy has none")
    func digest() throws {
        let (without, with) = (try app(""), try app("lookup: {}, "))
        #expect(without.policyDigest(testRoots: []) == with.policyDigest(testRoots: []))
        let shadowed = try app("lookup: {}, shadow: {accept_simulated: false}, ").shadowed
        #expect(try #require(shadowed).lookup == nil)
    }
}
