import AssayCore
import AssaySchemes
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Configuration of confidence")
struct ConfidenceConfigurationTests {
    private let home: CatalogHome

    init() throws { home = try CatalogHome() }

    /// An entry of the catalog.
    private static func plugin(_ name: String, formats: String, apps: String = "photos") -> String {
        CatalogHome.kiosk.replacing("name: kiosk", with: "name: \(name)").replacing("[kiosk]", with: "[\(formats)]")
            .replacing("[photos, parcels]", with: "[\(apps)]")
    }

    private static let measuring = ["depth": plugin("depth", formats: "scene-depth, scene-map, screen.check")]

    private static let phone = "app_attest: {identities: [{app_id: TEAMID1234.com.example.photos}]}"
    private static let android =
        "android: {packages: [{name: com.example.photos, signers: [\"\(String(repeating: "ab", count: 32))\"]}], "
        + "revocation: {source: none}}"

    private func text(_ lines: [String]) -> String {
        """
        listen: [{unix: a.sock}]
        store: {path: ledger.db}
        callers: {known: [{name: handler, unix_user: 1001, roles: [verify], apps: all}]}
        plugins: {catalog: plugins.d}
        apps:
          photos:
            \(lines.joined(separator: "\n    "))
        """
    }

    private func parse(_ section: String?, _ platforms: [String] = [phone]) throws -> Configuration {
        try home.parse(Self.measuring, main: text((section.map { ["confidence: \($0)"] } ?? []) + platforms))
    }

    private func rule(_ section: String) throws -> ConfidenceRule { try #require(try parse(section).apps.first?.confidence) }

    private func problem(_ section: String) -> String? {
        do {
            _ = try parse(section)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("An app without the section has no confidence; the defaults inform only")
    func defaults() throws {
        #expect(try parse(nil).apps.first?.confidence == nil)
        #expect(try rule("{profile: mvp}") == ConfidenceRule(profile: .mvp))
        let weighted = try rule("{profile: weighted}")
        #expect(weighted == ConfidenceRule(profile: .weighted) && weighted.required == nil)
        #expect(weighted.thresholds == .usual && weighted.passScore.description == "0.5")
    }

    @Test("Every key is read")
    func keys() throws {
        let rule = try rule(
            "{profile: weighted, require: medium_high, pass_score: 0.6, "
                + "thresholds: {high: 0.9, medium_high: 0.8, medium: 0.45, low: 1e-1}}")
        #expect(rule.profile == .weighted && rule.required == .mediumHigh && rule.passScore.description == "0.6")
        let thresholds = [rule.thresholds.high, rule.thresholds.mediumHigh, rule.thresholds.medium, rule.thresholds.low]
        #expect(thresholds.map(\.description) == ["0.9", "0.8", "0.45", "0.1"])
        #expect(try self.rule("{profile: weighted, thresholds: {high: 0.9}}").thresholds.mediumHigh.description == "0.7")
        for level in ["suspicious", "low", "medium", "high"] {
            #expect(try self.rule("{profile: mvp, require: \(level)}").required?.name == level)
        }
    }

    @Test("The profile suite has very_high and thresholds of its own, and the profile weighted keeps its numbers")
    func suite() throws {
        let suite = try rule("{profile: suite}")
        #expect(suite == ConfidenceRule(profile: .suite) && suite.thresholds == .suite && !suite.isDepthStrict)
        let set = try rule(
            "{profile: suite, require: very_high, strict_depth: true, flags_violated: reject, thresholds: {very_high: 0.95, high: 0.8}}"
        )
        #expect(set.required == .veryHigh && set.isDepthStrict && set.rejectsViolatedFlags)
        #expect(set.thresholds.veryHigh?.description == "0.95" && set.thresholds.high.description == "0.8")
        #expect(set.thresholds.mediumHigh == set.thresholds.high && set.thresholds.low.description == "0.25")
        for level in ["suspicious", "low", "medium", "medium_high", "high", "very_high"] {
            #expect(try rule("{profile: suite, require: \(level)}").required?.name == level)
        }
        let strict = try rule("{profile: mvp, strict_depth: true, flags_violated: note}")
        #expect(strict.isDepthStrict && !strict.rejectsViolatedFlags)
    }

    @Test("Mistakes are named, with what is wanted")
    func mistakes() {
        for (section, words) in [
            ("{}", "\"profile\" is missing"), ("{profile: weigted}", "did you mean \"weighted\"?"),
            ("{profile: weighted, require: highest}", "one of suspicious, low, medium, medium_high, high"),
            ("{profile: weighted, require: rejected}", "one of suspicious"),
            ("{profile: mvp, require: medium_high}", "one of suspicious, low, medium, high"),
            ("{profile: mvp, thresholds: {high: 0.9}}", "thresholds are for the profiles weighted and suite"),
            ("{profile: weighted, pass_score: 1.5}", "a number from 0 to 1"),
            ("{profile: weighted, pass_score: -0.1}", "a number from 0 to 1"),
            ("{profile: weighted, pass_score: half}", "a number from 0 to 1"),
            ("{profile: weighted, thresholds: {high: 0.6}}", "must not rise"),
            ("{profile: weighted, thresholds: {low: 0.6}}", "must not rise"),
            ("{profile: weighted, thresholds: {heigh: 0.6}}", "did you mean \"high\"?"),
            ("{profile: weighted, level: high}", "unknown key \"level\""),
            ("{profile: mvp, measured: {Lidar: scene-depth}}", "want the name of a signal: 1 to 32 of a-z, 0-9 and _"),
            (
                "{profile: mvp, measured: {lidar: Scene Depth}}",
                "want a format of evidence such as scene-depth, have \"Scene Depth\""
            ),
            ("{profile: mvp, measured: lidar}", "confidence.measured"),
            ("{profile: weighted, require: very_high}", "one of suspicious, low, medium, medium_high, high"),
            ("{profile: weighted, thresholds: {very_high: 0.9}}", "unknown key \"very_high\""),
            ("{profile: suite, thresholds: {medium_high: 0.8}}", "unknown key \"medium_high\""),
            ("{profile: suite, thresholds: {very_high: 0.74}}", "must not rise from very_high over high"),
            ("{profile: suite, strict_depth: often}", "true or false"),
            ("{profile: suite, flags_violated: drop}", "one of note, reject"),
        ] {
            #expect(problem(section)?.contains(words) == true, "\(section): \(problem(section) ?? "no problem")")
        }
    }

    @Test("The policy digest follows every number that bears on a verdict, and no spelling")
    func digest() throws {
        func digest(_ section: String?) throws -> [UInt8] {
            try #require(try parse(section).apps.first).policyDigest(testRoots: [])
        }
        let variations = [
            nil, "{profile: mvp}", "{profile: mvp, require: low}", "{profile: mvp, pass_score: 0.6}", "{profile: weighted}",
            "{profile: weighted, require: low}", "{profile: weighted, require: high}", "{profile: weighted, pass_score: 0.6}",
            "{profile: weighted, thresholds: {high: 0.86}}", "{profile: weighted, thresholds: {medium_high: 0.71}}",
            "{profile: weighted, thresholds: {medium: 0.51}}", "{profile: weighted, thresholds: {low: 0.31}}",
            "{profile: mvp, measured: {lidar: scene-depth}}", "{profile: mvp, measured: {moire: scene-depth}}",
            "{profile: mvp, measured: {lidar: scene-map}}",
            "{profile: mvp, measured: {lidar: scene-depth, moire: scene-depth}}",
            "{profile: suite}",
            "{profile: suite, thresholds: {very_high: 0.91}}", "{profile: suite, strict_depth: true}",
            "{profile: suite, flags_violated: reject}", "{profile: mvp, strict_depth: true}",
            "{profile: mvp, flags_violated: reject}",
        ]
        #expect(try Set(variations.map(digest)).count == variations.count)
        #expect(
            try digest("{profile: mvp, measured: {}}") == digest("{profile: mvp}"))
        #expect(
            try digest("{pass_score: 0.50, thresholds: {high: 8.5e-1}, profile: weighted}") == digest("{profile: weighted}"))
        #expect(
            try digest("{profile: weighted, strict_depth: false, flags_violated: note}") == digest("{profile: weighted}"))
    }

    @Test("The formats that measure signals are read")
    func measured() throws {
        #expect(
            try rule("{profile: mvp, measured: {lidar: scene-depth, moire: screen.check}}").measured
                == ["lidar": EvidenceFormat(rawValue: "scene-depth"), "moire": EvidenceFormat(rawValue: "screen.check")])
    }

    @Test("A format that no plugin judges for the app is an error with its place and the remedy, also in a shadow policy")
    func unmeasured() {
        func problems(_ measured: String, _ entries: [String: String], shadow: Bool = false) -> [String] {
            let section = "confidence: {profile: mvp, measured: {\(measured)}}"
            return home.problems(entries, main: text([shadow ? "shadow: {\(section)}" : section, Self.phone]))
        }
        func problem(_ signal: String, _ format: String, _ remedy: String, in section: String = "confidence") -> String {
            "assayd.yaml:7: apps.photos.\(section).measured.\(signal): no primary plugin of the app judges \(format), so that \(signal) "
                + "would always be the app's word; \(remedy)"
        }
        let misspelt = "lidar: scene-dept, moire: screen.chek"
        #expect(
            problems(misspelt, Self.measuring) == [
                problem("lidar", "scene-dept", "did you mean \"scene-depth\"?"),
                problem("moire", "screen.chek", "did you mean \"screen.check\"?"),
            ])
        #expect(
            problems("lidar: scene-dept", Self.measuring, shadow: true)
                == [problem("lidar", "scene-dept", "did you mean \"scene-depth\"?", in: "shadow.confidence")])
        let one = ["depth": Self.plugin("depth", formats: "scene-depth")]
        #expect(problems("moire: moire-check", one) == [problem("moire", "moire-check", "there is scene-depth")])
        #expect(
            problems("lidar: scene-depth", [:])
                == [problem("lidar", "scene-depth", "want an entry of \"plugins.catalog\" with this format")])
        // Assay judges it, and no plugin.
        #expect(problems("lidar: app-attest.assertion", one).first?.contains("judges app-attest.assertion") == true)
    }

    @Test("A plugin that judges the format for other apps is named with its file")
    func measuredForOthers() {
        let main =
            text(["confidence: {profile: mvp, measured: {lidar: scene-depth}}", Self.phone])
            + "\n  parcels: {}"
        #expect(
            home.problems(["depth": Self.plugin("depth", formats: "scene-depth", apps: "parcels")], main: main).first?
                .hasSuffix("; depth judges it for other apps: add photos to \"apps\" in plugins.d/depth.yaml") == true)
    }

    @Test("An entry with a problem of its own is told, and not that its format is judged by none")
    func brokenEntry() {
        let main = text(["confidence: {profile: mvp, measured: {lidar: scene-depth}}", Self.phone])
        for entry in [
            "formats: [scene-depth]", Self.plugin("depth", formats: "scene-depth").replacing("name: depth", with: "nam: depth"),
        ] {
            let problems = home.problems(["depth": entry], main: main)
            #expect(!problems.isEmpty && problems.allSatisfy { $0.hasPrefix("plugins.d/depth.yaml") }, "\(problems)")
        }
        #expect(
            home.problems([:], main: main.replacing("catalog: plugins.d", with: "catalog: none"))
                == ["assayd.yaml:4: plugins.catalog: the folder none does not exist"])
    }

    @Test("check-config summarises the rule, and warns of a level that captures of a platform do not reach")
    func findings() throws {
        let now = Timestamp(unixSeconds: 1_790_000_000)
        func findings(_ section: String, _ platforms: [String]) throws -> [ConfigurationFinding] {
            try parse(section, platforms).policyFindings(now).filter { $0.path == "apps.photos.confidence.require" }
        }
        for platforms in [[Self.android], [Self.android, Self.phone]] {
            let found = try findings("{profile: weighted, require: high}", platforms)
            #expect(found.map(\.code) == [.policyUnmeetable] && found.first?.line != nil)
            #expect(try findings("{profile: weighted, require: medium_high}", platforms).isEmpty)
            #expect(try findings("{profile: mvp, require: high}", platforms).isEmpty)
        }
        #expect(try findings("{profile: weighted, require: high}", [Self.phone]).isEmpty)
        for level in ["high", "very_high"] {
            #expect(try findings("{profile: suite, require: \(level)}", [Self.android]).map(\.code) == [.policyUnmeetable])
            #expect(try findings("{profile: suite, require: \(level)}", [Self.phone]).isEmpty)
        }
        #expect(try findings("{profile: suite, require: medium_high}", [Self.android]).isEmpty)
        let mac = "app_attest: {identities: [{app_id: TEAMID1234.com.example.photos, platform: macos}]}"
        #expect(try findings("{profile: weighted, require: medium}", [mac]).map(\.code) == [.policyUnmeetable])
        #expect(try findings("{profile: weighted, require: low}", [mac]).isEmpty)
        #expect(try findings("{profile: mvp, require: high}", [mac]).map(\.code) == [.policyUnmeetable])
        #expect(try findings("{profile: mvp, require: medium}", [mac]).isEmpty)
        let summary = try parse("{profile: weighted, require: medium}").summary
        #expect(summary.contains("photos: confidence in captures by the profile weighted; captures below medium are rejected"))
        #expect(try parse("{profile: mvp}").summary.contains { $0.hasSuffix("profile mvp, which informs only") })
    }
}
