package import AssayCore

/// A field of the verdict for which the app's policy defines the reaction to each value.
package enum PlaySignal: String, CaseIterable, Hashable, Sendable {
    case licensing
    case playProtect = "play_protect"
    case appAccessRisk = "app_access_risk"
    case deviceActivity = "device_activity"
    case deviceRecall = "device_recall"
    case accountActivity = "account_activity"

    /// The reaction to a value.
    package enum Reaction: String, CaseIterable, Hashable, Sendable {
        case fail, warn, ignore
    }

    /// Represents every value that this version does not know.
    package static let other: OpaqueText = "OTHER"

    /// The default reactions: a value that speaks against the device is worth a note; a signal that the app has not enabled is
    /// not. Rejecting by default would refuse many genuine users.
    package var usualReactions: [OpaqueText: Reaction] {
        switch self {
        case .licensing: ["LICENSED": .ignore, "UNLICENSED": .warn, "UNEVALUATED": .warn, "UNKNOWN": .warn, Self.other: .warn]
        case .playProtect:
            [
                "NO_ISSUES": .ignore, "NO_DATA": .ignore, "POSSIBLE_RISK": .warn, "MEDIUM_RISK": .warn, "HIGH_RISK": .warn,
                "UNEVALUATED": .ignore, "PLAY_PROTECT_VERDICT_UNSPECIFIED": .warn, Self.other: .warn,
            ]
        case .appAccessRisk:
            [
                "KNOWN_INSTALLED": .ignore, "KNOWN_CAPTURING": .warn, "KNOWN_OVERLAYS": .warn, "KNOWN_CONTROLLING": .warn,
                "UNKNOWN_INSTALLED": .ignore, "UNKNOWN_CAPTURING": .warn, "UNKNOWN_OVERLAYS": .warn,
                "UNKNOWN_CONTROLLING": .warn, "APPS_DETECTED_UNSPECIFIED": .warn, "UNEVALUATED": .ignore, Self.other: .warn,
            ]
        case .deviceActivity:
            [
                "LEVEL_1": .ignore, "LEVEL_2": .ignore, "LEVEL_3": .warn, "LEVEL_4": .warn, "UNEVALUATED": .ignore,
                "DEVICE_ACTIVITY_LEVEL_UNSPECIFIED": .warn, Self.other: .warn,
            ]
        case .deviceRecall: ["bitFirst": .warn, "bitSecond": .warn, "bitThird": .warn, "UNEVALUATED": .ignore]
        case .accountActivity:
            [
                "UNUSUAL": .warn, "UNKNOWN": .ignore, "TYPICAL_BASIC": .ignore, "TYPICAL_STRONG": .ignore,
                "UNEVALUATED": .ignore, "ACTIVITY_LEVEL_UNSPECIFIED": .warn, Self.other: .warn,
            ]
        }
    }

    /// The reason code of a rejection by this signal.
    func code(for value: OpaqueText) -> ReasonCode {
        switch self {
        case .licensing: value == PlayVerdict.unevaluated ? .licenseUnevaluated : .appNotLicensed
        case .playProtect: .playProtect
        case .appAccessRisk: .appAccessRisk
        case .deviceActivity: .deviceActivity
        case .deviceRecall: .deviceRecalled
        case .accountActivity: .accountActivity
        }
    }

    /// The signal's values in a token: for apps and recall bits several, or none if all is well.
    func values(in payload: PlayPayload) -> [OpaqueText] {
        let values: [String]? =
            switch self {
            case .licensing: payload.licensing.map { [$0] }
            case .playProtect: payload.playProtect.map { [$0] }
            case .appAccessRisk: payload.appsDetected
            case .deviceActivity: payload.device.activityLevel.map { [$0] }
            case .deviceRecall: payload.recall?.bits.filter(\.isSet).map(\.name)
            case .accountActivity: payload.accountActivity.map { [$0] }
            }
        return values?.map { OpaqueText($0) } ?? [PlayVerdict.unevaluated]
    }
}

/// Values of the token that decisions depend on.
package enum PlayVerdict {
    /// The value of an absent verdict.
    static let unevaluated: OpaqueText = "UNEVALUATED"

    static func isUnevaluated(_ value: String?) -> Bool { value.map { OpaqueText($0) == unevaluated } ?? true }

    /// The values of `appRecognitionVerdict` that a policy may allow.
    package enum App: String, CaseIterable, Hashable, Sendable {
        /// Package, certificate and version are those that Google Play distributes.
        case playRecognized = "PLAY_RECOGNIZED"
        /// Google Play does not know the certificate or the package: a changed, side-loaded or debug build.
        case unrecognizedVersion = "UNRECOGNIZED_VERSION"
    }

    /// `deviceRecognitionVerdict`. The meaning of a label depends on the version of Android.
    package enum Device: String, CaseIterable, Hashable, Sendable {
        /// The bootloader may be unlocked, the system uncertified.
        case basic = "MEETS_BASIC_INTEGRITY"
        /// A certified Android behind a locked bootloader.
        case device = "MEETS_DEVICE_INTEGRITY"
        /// The same, proven by hardware; from Android 13 on also a security update within a year.
        case strong = "MEETS_STRONG_INTEGRITY"
        /// The emulator of Google Play Games.
        case virtual = "MEETS_VIRTUAL_INTEGRITY"
    }
}
