package import AssayCertificates
package import AssayCore
package import AssaySchemes
import AssayVendors

/// An app's section `play_integrity`.
package struct PlayIntegritySection: SchemeSection {
    /// The app that tokens must belong to.
    package var app: PlayIntegrityIdentity
    /// Newest first.
    package var keys: [PlayKeySet]
    package var decoding: PlayDecoding
    package var policy: PlayIntegrityPolicy
    /// How Google is asked to decode tokens; `nil` if it is not asked.
    package var google: PlayDecodeRule?

    package init(
        app: PlayIntegrityIdentity, keys: [PlayKeySet], decoding: PlayDecoding, policy: PlayIntegrityPolicy,
        google: PlayDecodeRule? = nil
    ) {
        (self.app, self.keys, self.decoding) = (app, keys, decoding)
        (self.policy, self.google) = (policy, google)
    }

    // MARK: Judging

    package func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier] {
        [PlayIntegrityVerifier(identity: app, keys: keys, decoding: decoding, policy: policy)]
    }

    package func answerSources(_ dependencies: SchemeDependencies) -> [EvidenceFormat: any AnswerSource] {
        guard let google, let vendors = dependencies.vendors else { return [:] }
        return [.playIntegrity: google.client(vendors)]
    }

    // MARK: What the section needs from outside

    package var contentDigests: [[UInt8]] { keys.map(\.fingerprint) }

    package var serviceCalls: [ServiceCall] {
        guard let google else { return [] }
        return [
            ServiceCall(google.oauth.description, for: .googleAccess),
            ServiceCall(
                google.service.description,
                for: ServiceCall.Purpose("play_integrity", "what Play Integrity tokens say"), whileCallerWaits: true),
        ]
    }

    // MARK: Rules between sections

    package var devicePlatforms: Set<DevicePlatform> { [.android] }

    package var identity: AppIdentity? {
        AppIdentity(
            packages: app.packages.sorted().map { AppIdentity.Package(name: $0, signers: app.signers) },
            isEmulator: policy.deviceVerdicts == [.virtual])
    }

    package var evidenceLifetime: EvidenceLifetime? {
        EvidenceLifetime(
            milliseconds: policy.acceptableFor, reason: "a token is good for play_integrity.max_age, and 60 s of skew")
    }
}

extension PlayIntegritySection {
    /// Of the keys their fingerprints count. Who asks Google, and where, does not bear on a verdict.
    package func digest(into hash: inout FieldDigest, testRoots: [TrustAnchor]) {
        hash.append("play-integrity")
        hash.append(app.packages.sorted().joined(separator: ","))
        for signer in (app.signers ?? []).sorted(by: { $0.lexicographicallyPrecedes($1) }) { hash.append(signer) }
        hash.append(decoding.rawValue)
        for keySet in keys { hash.append(keySet.fingerprint) }
        hash.append(policy.kinds.map(\.rawValue).sorted().joined(separator: ","))
        hash.append(UInt64(bitPattern: policy.maxAgeMilliseconds))
        hash.append(policy.appVerdicts.map(\.rawValue).sorted().joined(separator: ","))
        hash.append(policy.deviceVerdicts.map(\.rawValue).sorted().joined(separator: ","))
        hash.append(policy.minVersionCode.map(String.init) ?? "any")
        hash.append(policy.minSDKVersion.map(String.init) ?? "any")
        for signal in PlaySignal.allCases {
            hash.append(signal.rawValue)
            for (value, reaction) in policy.reactions(to: signal).sorted(by: { $0.key < $1.key }) {
                hash.append(value.text)
                hash.append(reaction.rawValue)
            }
        }
    }
}

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
