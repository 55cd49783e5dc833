import AssayCore
import AssayPlugins
import AssaySchemes

extension ConfidenceRule {
    /// Reads the section `confidence` of an app; `nil` if it names no profile.
    init?(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let profile = section.required("profile")?.choice([
            "mvp": ConfidenceProfile.mvp, "weighted": .weighted, "suite": .suite,
        ])
        let least = section.optional("pass_score")?.score()
        let thresholds = section.optional("thresholds")
        if profile == .mvp {
            thresholds?.report("the profile mvp has no score; thresholds are for the profiles weighted and suite")
        }
        let limits = thresholds.flatMap { Thresholds(reading: $0, of: profile ?? .weighted) }
        let words = ConfidenceLevel.allCases.filter { level in
            level > .rejected && level <= (profile ?? .suite).highest && (profile != .mvp || level != .mediumHigh)
        }.map(\.name)
        let isStrict = section.optional("strict_depth")?.boolean()
        let rejects = section.optional("flags_violated")?.choice(["note": false, "reject": true])
        let required = section.optional("require")?.choice(among: words).flatMap { ConfidenceLevel(name: $0.utf8) }
        let measured = section.optional("measured").map(Self.measured) ?? [:]
        section.done()
        guard let profile else { return nil }
        self.init(
            profile: profile, thresholds: limits, passScore: least ?? Self.usualPassScore, required: required,
            isDepthStrict: isStrict ?? false, rejectsViolatedFlags: rejects ?? false,
            measured: measured)
    }

    /// The formats of evidence, by the signal that they measure.
    private static func measured(_ value: ConfigurationReader.Value) -> [String: EvidenceFormat] {
        let members = value.members() ?? []
        if members.count > SignalDocument.signalLimit {
            value.report("want at most \(SignalDocument.signalLimit) signals, have \(members.count)")
        }
        var formats: [String: EvidenceFormat] = [:]
        for (name, member) in members {
            guard Signal.isName(name.utf8) else {
                member.report("want the name of a signal: 1 to 32 of a-z, 0-9 and _")
                continue
            }
            guard let text = member.text() else { continue }
            guard let format = EvidenceFormat(named: text.utf8) else {
                member.report("want a format of evidence such as scene-depth, have \"\(text.prefix(60))\"")
                continue
            }
            formats[name] = format
        }
        return formats
    }

    /// What the rule does, as a part of a sentence.
    var summary: String {
        "confidence in captures by the profile \(profile.rawValue)"
            + (required.map { "; captures below \($0.name) are rejected" }
                ?? (rejectsViolatedFlags ? "" : ", which informs only"))
            + (rejectsViolatedFlags ? "; captures that violate their own flags are rejected" : "")
    }
}

extension ConfidenceRule.Thresholds {
    /// The profile `suite` has `very_high` and no `medium_high`, the profile `weighted` the other way round.
    fileprivate init?(reading value: ConfigurationReader.Value, of profile: ConfidenceProfile) {
        let section = value.section()
        let isSuite = profile == .suite
        let veryHigh = isSuite ? section.optional("very_high")?.score() : nil
        let high = section.optional("high")?.score()
        let mediumHigh = isSuite ? nil : section.optional("medium_high")?.score()
        let (medium, low) = (section.optional("medium")?.score(), section.optional("low")?.score())
        section.done()
        let usual = Self.usual(of: profile)
        let thresholds = Self(
            veryHigh: veryHigh ?? usual.veryHigh, high: high ?? usual.high,
            mediumHigh: isSuite ? high ?? usual.high : mediumHigh ?? usual.mediumHigh, medium: medium ?? usual.medium,
            low: low ?? usual.low)
        guard let thresholds else {
            let names = isSuite ? "very_high over high" : "high over medium_high"
            value.report("the thresholds must not rise from \(names) and medium to low")
            return nil
        }
        self = thresholds
    }
}

extension ConfidenceRule {
    /// Reports formats that no plugin judges for an app: what they should measure would always be the app's word.
    ///
    /// - Parameters:
    ///   - value: the section that the rule was read from.
    ///   - plugins: the app's entries.
    ///   - catalog: all entries.
    func checkMeasured(
        in value: ConfigurationReader.Value?, of app: AppID, by plugins: [PluginEntry], in catalog: [PluginEntry]
    ) {
        let known = Set(plugins.flatMap { entry in entry.formats.filter(entry.isPrimary).map(\.rawValue) })
        for (signal, format) in measured.sorted(by: { $0.key < $1.key }) where !known.contains(format.rawValue) {
            let remedy: String
            if let other = catalog.first(where: { $0.isPrimary(for: format) }) {
                remedy = "; \(other.id) judges it for other apps: add \(app) to \"apps\" in \(other.file)"
            } else {
                let hint = Spelling.hint(for: format.rawValue, among: known)
                remedy = hint.isEmpty ? "; want an entry of \"plugins.catalog\" with this format" : hint
            }
            value?.at("measured", signal)?.report(
                "no primary plugin of the app judges \(format), so that \(signal) would always be the app's word\(remedy)")
        }
    }
}

extension ConfigurationReader.Value {
    /// A number from 0 to 1 with at most 6 decimal places.
    fileprivate func score() -> Score? {
        guard let text = text() else { return nil }
        guard let score = Score(decimal: Array(text.utf8)) else {
            report("want a number from 0 to 1 such as 0.85, have \"\(text.prefix(60))\"")
            return nil
        }
        return score
    }
}

extension AppConfiguration {
    /// Levels that no device of the app reaches, or no device of one of its platforms.
    var confidenceFindings: [SectionFinding] {
        guard let rule = confidence, let required = rule.required else { return [] }
        let platforms = sections.reduce(into: Set<DevicePlatform>()) { $0.formUnion($1.section.devicePlatforms) }
        let path = "confidence.require"
        // Without a platform there is no depth in the profile mvp, and no table in the others.
        if platforms.isEmpty, required > (rule.profile == .mvp ? .medium : .low) {
            return [
                .unmeetable(
                    path,
                    "no evidence of the app says that a device is an iPhone or an Android device, so that no capture reaches "
                        + "\(required.name)")
            ]
        }
        if rule.profile != .mvp, required > .mediumHigh, platforms.contains(.android) {
            let others = platforms.contains(.iOS) ? "" : ", and the app has no others"
            return [.unmeetable(path, "captures of Android devices are at most medium_high\(others)")]
        }
        return []
    }
}
