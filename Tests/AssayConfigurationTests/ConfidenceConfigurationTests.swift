import AssayCore
import AssaySchemes
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Configuration of confidence")
struct ConfidenceConfigurationTests {
    private static let phone = "app_attest: {identities: [{app_id: TEAMID1234.com.example.photos}]}"
    private static let android =
        "android: {packages: [{name: com.example.photos, signers: [\"\(String(repeating: "ab", count: 32))\"]}], "
        + "revocation: {source: none}}"

    private func parse(_ section: String?, _ platforms: [String] = [phone]) throws -> Configuration {
        let lines = (section.map { ["confidence: \($0)"] } ?? []) + platforms
        return try Configuration.parse(
            """
            listen: [{unix: a.sock}]
            store: {path: ledger.db}
            callers: {known: [{name: handler, unix_user: 1001, roles: [verify], apps: all}]}
            apps:
              photos:
                \(lines.joined(separator: "\n    "))
            """, file: "assayd.yaml", folder: "/nowhere")
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

    @Test("The formats that measure signals are read, and check-config warns of one that no plugin of the app judges")
    func measured() throws {
        let section = "{profile: mvp, measured: {lidar: scene-depth, moire: screen.check}}"
        #expect(
            try rule(section).measured
                == ["lidar": EvidenceFormat(rawValue: "scene-depth"), "moire": EvidenceFormat(rawValue: "screen.check")])
        let found = try parse(section).policyFindings(Timestamp(unixSeconds: 1_790_000_000)).filter {
            $0.path.hasPrefix("apps.photos.confidence.measured")
        }
        #expect(found.map(\.path) == ["lidar", "moire"].map { "apps.photos.confidence.measured.\($0)" })
        #expect(found.allSatisfy { $0.code == .policyUnmeetable })
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
