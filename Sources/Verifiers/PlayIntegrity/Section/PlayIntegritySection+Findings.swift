package import AssayCore
package import AssaySchemes

/// What people are told of the section.
extension PlayIntegritySection {
    package var summary: [String] {
        let packages = app.packages.sorted().joined(separator: ", ")
        let keys = keys.map { Hex.encode($0.fingerprint.prefix(4)) }.joined(separator: ", ")
        return ["Play Integrity of \(packages) (\(decoding.rawValue)\(keys.isEmpty ? "" : ", keys " + keys))"]
    }

    /// Google Play takes no version code above (developer.android.com, "Version your app").
    private static let highestVersionCode: Int64 = 2_100_000_000

    package func findings(beside others: [String: any SchemeSection], at now: Timestamp) -> [SectionFinding] {
        var findings: [SectionFinding] = []
        if policy.minVersionCode ?? 0 > Self.highestVersionCode {
            findings.append(
                .unmeetable(
                    "play_integrity.min_version_code", "Google Play takes no version codes above \(Self.highestVersionCode)"))
        }
        // 36 in 2025, one each year.
        let year = CivilDate(daysSince1970: now.unixMilliseconds / 86_400_000).year
        if let version = policy.minSDKVersion, version > year - 1989 + 1 {
            findings.append(
                .unmeetable("play_integrity.min_sdk_version", "there is no API level \(version) yet; 33 is Android 13"))
        }
        if !policy.appVerdicts.contains(.playRecognized) {
            findings.append(
                .unmeetable(
                    "play_integrity.app_verdicts", "the app as Google Play delivers it is refused; want PLAY_RECOGNIZED beside")
            )
        }
        for (signal, value) in [(PlaySignal.licensing, "LICENSED"), (.playProtect, "NO_ISSUES")] as [(PlaySignal, OpaqueText)]
        where policy.reactions(to: signal)[value] == .fail {
            findings.append(
                .unmeetable(
                    "play_integrity.signals.\(signal.rawValue).\(value.text)",
                    "devices of which only good is known are refused"))
        }
        return findings
    }
}
