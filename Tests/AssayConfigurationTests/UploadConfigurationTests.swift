import AssayConfiguration
import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import DaemonTesting

@Suite("Configuration of uploads")
struct UploadConfigurationTests {
    private let home: TestHome

    init() throws { home = try TestHome() }

    private func load(_ more: String) throws -> Configuration {
        let text = home.folder.text("assayd.yaml").replacing("  camera: {", with: "  camera: {\(more)")
        return try Configuration.load(try home.folder.write(text, to: "other.yaml"))
    }

    private func app(_ more: String) throws -> AppConfiguration {
        try #require(try load(more).live.apps.first { $0.id.text == "camera" })
    }

    @Test("Without the section nothing is uploaded; an empty one has an hour and a thousand, and both can be said")
    func values() throws {
        #expect(try app("").uploads == nil)
        let usual = try #require(try app("uploads: {}, ").uploads)
        #expect(usual.lifetime == 3_600_000 && usual.openLimit == 1000)
        for (text, lifetime, limit) in [("1m", 60_000, 1), ("1d", 86_400_000, 10_000)] as [(String, Int64, Int)] {
            let rule = try #require(try app("uploads: {lifetime: \(text), max_open_uploads: \(limit)}, ").uploads)
            #expect(rule.lifetime == lifetime && rule.openLimit == limit)
        }
        let summary = try load("uploads: {max_open_uploads: 7}, ").summary
        #expect(
            summary.contains("camera: takes payloads uploaded in chunks, for 1h each and at most 7 unfinished at a time"),
            "\(summary)")
    }

    @Test(
        "What is wrong with the section is reported at its value",
        arguments: [
            ("uploads: {lifetime: 59s}, ", "apps.camera.uploads.lifetime"),
            ("uploads: {lifetime: 25h}, ", "apps.camera.uploads.lifetime"),
            ("uploads: {max_open_uploads: 0}, ", "apps.camera.uploads.max_open_uploads"),
            ("uploads: {max_open_uploads: 10001}, ", "apps.camera.uploads.max_open_uploads"),
            ("uploads: {lifetim: 1h}, ", "did you mean \"lifetime\"?"), ("uploads: yes, ", "apps.camera.uploads"),
            ("shadow: {uploads: {}}, ", "unknown key \"uploads\""),
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
        let (without, with) = (try app(""), try app("uploads: {}, "))
        #expect(without.policyDigest(testRoots: []) == with.policyDigest(testRoots: []))
        let shadowed = try app("uploads: {}, shadow: {accept_simulated: false}, ").shadowed
        #expect(try #require(shadowed).uploads == nil)
    }
}
