package import AssayCore
package import AssaySchemes
import AssayVendors

/// What people are told of the section.
extension AndroidKeyAttestationSection {
    package var summary: [String] {
        (policy.apps ?? []).map { "Android key attestation of \($0.packageName ?? "any package")" }
    }

    package func warnings(acceptsSimulated: Bool) -> [SectionFinding] {
        var warnings: [SectionFinding] = []
        if trustsSoftwareRoots {
            warnings.append(
                SectionFinding(
                    .softwareRoots, at: "android.trust_software_roots",
                    "lets everybody make attestations; they are simulated"
                        + (acceptsSimulated ? "" : ", and refused, because the app does not say accept_simulated")))
        }
        if policy.boot?.requiresLocked == false {
            warnings.append(
                SectionFinding(
                    .unlockedDevices, at: "android.verified_boot.allow_unlocked",
                    "lets devices in that run whatever their user likes"))
        }
        if let names = policy.boot?.allowedTestKeys.map(\.rawValue).sorted(), !names.isEmpty {
            warnings.append(
                SectionFinding(
                    .testKeys, at: "android.verified_boot.allow_test_keys",
                    "lets systems in that everybody can sign (\(names.joined(separator: ", ")))"))
        }
        return warnings
    }

    package func findings(beside others: [String: any SchemeSection], at now: Timestamp) -> [SectionFinding] {
        var findings = listFindings(now) + levelFindings(now) + identifierFindings + policy.key.findings
        if requiresPlayIntegrity, let tokens = others[Self.together]?.identity { findings += togetherFindings(tokens) }
        return findings
    }

    // MARK: The file with the revocation list

    private func listFindings(_ now: Timestamp) -> [SectionFinding] {
        guard let file = revocationFiles.first else { return [] }
        let path = "android.revocation.file"
        var findings: [SectionFinding] = []
        if let why = file.knowledge(at: now).unavailable {
            findings.append(
                SectionFinding(.revocationFile, at: path, "\(why); until then the app gives no verdicts on Android devices"))
        }
        let odd = file.snapshot.oddEntries
        if odd != .none {
            let example = odd.example.isEmpty ? "" : ", such as \"\(odd.example)\""
            findings.append(
                SectionFinding(
                    .revocationEntries, at: path,
                    "of the list's entries \(odd.unreadable) cannot be read\(example), and \(odd.unknownStatus) have an unknown "
                        + "status; the rest is used"))
        }
        return findings
    }

    // MARK: Levels

    /// Google Play takes no version code above (developer.android.com, "Version your app").
    private static let highestVersionCode: Int64 = 2_100_000_000

    /// Systems and levels of a time that has not come yet. There has been one version of Android a year since the fourth of 2013
    /// or so; the next one is given to developers before its year.
    /// An IMEI is 15 digits, or 14 without its check digit, or 16 with a software version; a MEID 14 hexadecimal digits (3GPP TS 23.003 §6.2).
    private var identifierFindings: [SectionFinding] {
        let forms: [(AuthorizationTag, ClosedRange<Int>, digits: String, want: String)] = [
            (.imei, 14...16, "0123456789", "14 to 16 digits"), (.secondIMEI, 14...16, "0123456789", "14 to 16 digits"),
            (.meid, 14...14, "0123456789ABCDEFabcdef", "14 hexadecimal digits"),
        ]
        return forms.flatMap { tag, lengths, digits, want in
            (policy.attestedIDs[tag] ?? []).map(\.text).sorted().compactMap { text in
                guard !lengths.contains(text.utf8.count) || !text.utf8.allSatisfy(digits.utf8.contains) else { return nil }
                return .unmeetable(
                    "android.attested_ids.\(tag.name)", "no device has \"\(text.prefix(60))\": want \(want)")
            }
        }
    }

    private func levelFindings(_ now: Timestamp) -> [SectionFinding] {
        var findings: [SectionFinding] = []
        let (today, rules) = (PatchLevel(now), policy.patchLevels)
        for (key, oldest) in [("os", rules.os), ("vendor", rules.vendor), ("boot", rules.boot)] {
            let path = "android.patch_levels." + key
            switch oldest {
            case .level(let level)? where level.months(since: today) > min(1, rules.monthsAhead ?? 1):
                findings.append(.unmeetable(path, "no device has the patch level of \(level.text) yet"))
            case .months(0)?:
                findings.append(
                    .unmeetable(
                        path, "few devices have this month's patch level, and none on its first day; want at least 1months"))
            case .level(let level)? where level < .first:
                findings.append(
                    .unmeetable(path, "every level is newer than \(level.text): there are none from before 2015-10"))
            case .level?, .months?, nil: break
            }
        }
        if let version = policy.minimumOSVersion, version / 10_000 > UInt64(today.year - 2009 + 1) {
            findings.append(
                .unmeetable(
                    "android.min_os_version",
                    "there is no Android \(version / 10_000) yet; want MMmmss, 130000 for Android 13"))
        }
        for (index, app) in (policy.apps ?? []).enumerated() where app.minimumVersion ?? 0 > Self.highestVersionCode {
            findings.append(
                .unmeetable(
                    "android.packages[\(index)].min_version",
                    "Google Play takes no version codes above \(Self.highestVersionCode)"))
        }
        return findings
    }

    // MARK: Tokens beside the attested key

    /// A token that is required beside an attested key, and cannot be of the same app or device.
    private func togetherFindings(_ tokens: AppIdentity) -> [SectionFinding] {
        var findings: [SectionFinding] = []
        let isSigned = (policy.apps ?? []).contains { app in
            tokens.packages.contains { token in
                guard let signers = token.signers, let own = app.signers else { return true }
                return !own.isDisjoint(with: signers)
            }
        }
        if !isSigned {
            findings.append(
                .unmeetable(
                    "play_integrity.signers",
                    "none of them signs a package of \"android.packages\", and tokens must be of the same app"))
        }
        if tokens.isEmulator, policy.minimumLevel > .software {
            findings.append(
                .unmeetable(
                    "play_integrity.device_verdicts",
                    "an emulator has no attested key, which the app requires beside the token"))
        }
        return findings
    }
}

extension KeyRule {
    /// Keys that register, and by which no signature can be accepted afterwards.
    fileprivate var findings: [SectionFinding] {
        if forbiddenPurposes.contains(.sign) {
            return [
                SectionFinding(
                    .keyCannotSign, at: "android.key.forbidden_purposes",
                    "a device whose key must not sign registers, and can never show again that it is there")
            ]
        }
        let purposes = requiredPurposes.map(\.name).sorted().joined(separator: ", ")
        guard let kinds else {
            let canSign = KeyKind.allCases.contains { $0.signsMessages && $0.canHave(requiredPurposes.union([.sign])) }
            return canSign
                ? []
                : [
                    SectionFinding(
                        .keyCannotSign, at: "android.key.purposes",
                        "a key for \(purposes) cannot sign; devices register with it only")
                ]
        }
        let useless = KeyKind.allCases.filter { kinds.contains($0) && !$0.canHave(requiredPurposes) }
        let mute = KeyKind.allCases.filter { kinds.contains($0) && !useless.contains($0) && !$0.signsMessages }
        var findings: [SectionFinding] = []
        if !useless.isEmpty {
            findings.append(
                .unmeetable(
                    "android.key.kinds",
                    "keys of the kind \(Self.names(useless)) are never for what is demanded: \(purposes)"))
        }
        if !mute.isEmpty {
            findings.append(
                SectionFinding(
                    .keyCannotSign, at: "android.key.kinds",
                    "a device with a key of the kind \(Self.names(mute)) registers, and none of its signatures can be verified")
            )
        }
        return findings
    }

    private static func names(_ kinds: [KeyKind]) -> String { kinds.map(\.rawValue).joined(separator: ", ") }
}

extension PatchLevel {
    /// As `2025-03`.
    fileprivate var text: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }

    /// Systems tell a level from Android 6 on.
    fileprivate static let first = PatchLevel(201_510) ?? PatchLevel(Timestamp(unixSeconds: 0))
}

extension KeyKind {
    /// Whether signatures by such keys are verified (`KeySignature`).
    fileprivate var signsMessages: Bool {
        switch self {
        case .rsa, .p256, .p384, .ed25519, .mlDSA65, .mlDSA87: true
        case .p224, .p521, .x25519: false
        }
    }
}
