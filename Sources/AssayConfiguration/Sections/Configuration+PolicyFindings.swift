import AndroidKeyAttestation
import AppAttest
package import AssayCore
package import AssaySchemes
import PlayIntegrity

extension Configuration {
    /// What the apps demand and no genuine device has today, or next to none: rules that are no contradiction and yet refuse everybody.
    /// Most are typing errors.
    package func policyFindings(_ now: Timestamp) -> [ConfigurationFinding] {
        apps.flatMap { app in
            let place = "apps.\(app.id)"
            var findings: [ConfigurationFinding] = []
            if let android = app.android {
                let place = place + ".android"
                findings += levelFindings(android.policy, at: place, now) + keyFindings(android.policy.key, at: place + ".key")
                if android.requiresPlayIntegrity, let play = app.playIntegrity {
                    findings += togetherFindings(android.policy, play, at: "apps.\(app.id).play_integrity")
                }
            }
            if let play = app.playIntegrity { findings += playFindings(play.policy, at: place + ".play_integrity", now) }
            if let section = app.appAttest { findings += appAttestFindings(section, at: place + ".app_attest") }
            return findings
        }
    }

    /// Google Play takes no version code above (developer.android.com, "Version your app").
    private static let highestVersionCode: Int64 = 2_100_000_000

    private func unmeetable(_ place: String, _ message: String) -> ConfigurationFinding {
        finding(.policyUnmeetable, at: place, message)
    }

    // MARK: Android

    /// Systems and levels of a time that has not come yet. There has been one version of Android a year since the fourth of 2013
    /// or so; the next one is given to developers before its year.
    private func levelFindings(_ policy: AndroidPolicy, at place: String, _ now: Timestamp) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        let (today, rules) = (PatchLevel(now), policy.patchLevels)
        for (key, oldest) in [("os", rules.os), ("vendor", rules.vendor), ("boot", rules.boot)] {
            let place = place + ".patch_levels." + key
            switch oldest {
            case .level(let level)? where level.months(since: today) > min(1, rules.monthsAhead ?? 1):
                findings.append(unmeetable(place, "no device has the patch level of \(level.text) yet"))
            case .months(0)?:
                findings.append(
                    unmeetable(
                        place, "few devices have this month's patch level, and none on its first day; want at least 1months"))
            case .level(let level)? where level < .first:
                findings.append(
                    unmeetable(
                        place, "every level is newer than \(level.text): there are none from before 2015-10"))
            case .level?, .months?, nil: break
            }
        }
        if let version = policy.minimumOSVersion, version / 10_000 > UInt64(today.year - 2009 + 1) {
            findings.append(
                unmeetable(
                    place + ".min_os_version", "there is no Android \(version / 10_000) yet; want MMmmss, 130000 for Android 13"
                ))
        }
        for (index, app) in (policy.apps ?? []).enumerated() where app.minimumVersion ?? 0 > Self.highestVersionCode {
            findings.append(unmeetable("\(place).packages[\(index)].min_version", Self.noSuchVersionCode))
        }
        return findings
    }

    private static let noSuchVersionCode = "Google Play takes no version codes above \(highestVersionCode)"

    /// Keys that register, and by which no signature can be accepted afterwards.
    private func keyFindings(_ rule: KeyRule, at place: String) -> [ConfigurationFinding] {
        if rule.forbiddenPurposes.contains(.sign) {
            return [
                finding(
                    .keyCannotSign, at: place + ".forbidden_purposes",
                    "a device whose key must not sign registers, and can never show again that it is there")
            ]
        }
        guard let kinds = rule.kinds else {
            guard !KeyKind.allCases.contains(where: { $0.signsMessages && $0.canHave(rule.requiredPurposes.union([.sign])) })
            else {
                return []
            }
            let purposes = rule.requiredPurposes.map(\.name).sorted().joined(separator: ", ")
            return [
                finding(
                    .keyCannotSign, at: place + ".purposes", "a key for \(purposes) cannot sign; devices register with it only")
            ]
        }
        let useless = KeyKind.allCases.filter { kinds.contains($0) && !$0.canHave(rule.requiredPurposes) }
        let mute = KeyKind.allCases.filter { kinds.contains($0) && !useless.contains($0) && !$0.signsMessages }
        var findings: [ConfigurationFinding] = []
        if !useless.isEmpty {
            let purposes = rule.requiredPurposes.map(\.name).sorted().joined(separator: ", ")
            findings.append(
                unmeetable(
                    place + ".kinds", "keys of the kind \(Self.names(useless)) are never for what is demanded: \(purposes)"))
        }
        if !mute.isEmpty {
            findings.append(
                finding(
                    .keyCannotSign, at: place + ".kinds",
                    "a device with a key of the kind \(Self.names(mute)) registers, and none of its signatures can be verified")
            )
        }
        return findings
    }

    private static func names(_ kinds: [KeyKind]) -> String { kinds.map(\.rawValue).joined(separator: ", ") }

    /// A token that is required beside an attested key, and cannot be of the same app or device.
    private func togetherFindings(
        _ policy: AndroidPolicy, _ play: App.PlayIntegrity, at place: String
    ) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        if let signers = play.identity.signers,
            !(policy.apps ?? []).contains(where: { $0.signers.map { !$0.isDisjoint(with: signers) } ?? true })
        {
            findings.append(
                unmeetable(
                    place + ".signers",
                    "none of them signs a package of \"android.packages\", and tokens must be of the same app"))
        }
        if play.policy.deviceVerdicts == [.virtual], policy.minimumLevel > .software {
            findings.append(
                unmeetable(
                    place + ".device_verdicts", "an emulator has no attested key, which the app requires beside the token"))
        }
        return findings
    }

    // MARK: Play Integrity

    private func playFindings(_ policy: PlayIntegrityPolicy, at place: String, _ now: Timestamp) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        if policy.minVersionCode ?? 0 > Self.highestVersionCode {
            findings.append(unmeetable(place + ".min_version_code", Self.noSuchVersionCode))
        }
        // 36 in 2025, one each year.
        if let version = policy.minSDKVersion, version > Int64(PatchLevel(now).year - 1989 + 1) {
            findings.append(unmeetable(place + ".min_sdk_version", "there is no API level \(version) yet; 33 is Android 13"))
        }
        if !policy.appVerdicts.contains(.playRecognized) {
            findings.append(
                unmeetable(
                    place + ".app_verdicts", "the app as Google Play delivers it is refused; want PLAY_RECOGNIZED beside"))
        }
        for (signal, value) in [(PlaySignal.licensing, "LICENSED"), (.playProtect, "NO_ISSUES")] as [(PlaySignal, OpaqueText)]
        where policy.reactions(to: signal)[value] == .fail {
            findings.append(
                unmeetable(
                    "\(place).signals.\(signal.rawValue).\(value.text)", "devices of which only good is known are refused"))
        }
        return findings
    }

    // MARK: App Attest

    /// Apps that attest are of the categories 2 to 6; 6, Developer ID, is for Macs alone.
    private func appAttestFindings(_ section: App.AppAttest, at place: String) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        if let categories = section.policy.allowedValidationCategories {
            let unknown = categories.filter { !(2...6).contains($0) }.sorted()
            if !unknown.isEmpty {
                findings.append(
                    unmeetable(
                        place + ".validation_categories",
                        "no app that attests has the category \(unknown.map(String.init).joined(separator: ", ")): they are 2 TestFlight, 3 "
                            + "development, 4 App Store, 5 enterprise or ad hoc, 6 Developer ID"))
            } else if categories == [6], !section.identities.contains(where: { $0.platform == .macOS }) {
                findings.append(
                    unmeetable(
                        place + ".validation_categories",
                        "Developer ID (6) is for Macs, and no identity has \"platform: macos\""))
            }
        }
        if section.policy.receipt.maxRiskMetric == 0 {
            findings.append(
                unmeetable(
                    place + ".receipt.max_risk_metric",
                    "the metric counts the keys that the device attested lately, of which the one in use is one: want at least 1"
                ))
        }
        return findings
    }
}

extension PatchLevel {
    /// As `2025-03`.
    fileprivate var text: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }

    /// Systems tell a level from Android 6 on.
    fileprivate static let first = PatchLevel(201_510) ?? PatchLevel(Timestamp(unixSeconds: 0))
}

extension KeyKind {
    /// Whether signatures by such keys are verified here (`KeySignature`).
    fileprivate var signsMessages: Bool {
        switch self {
        case .rsa, .p256, .p384, .ed25519, .mlDSA65, .mlDSA87: true
        case .p224, .p521, .x25519: false
        }
    }
}
