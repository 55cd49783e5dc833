package import AssayCore

/// A part of the verdict that an app weighs by its own rule: what is done about each value is policy.
package enum PlaySignal: String, CaseIterable, Hashable, Sendable {
    case licensing
    case playProtect = "play_protect"
    case appAccessRisk = "app_access_risk"
    case deviceActivity = "device_activity"
    case deviceRecall = "device_recall"
    case accountActivity = "account_activity"

    /// What is done about a value.
    package enum Reaction: String, CaseIterable, Hashable, Sendable {
        case fail, warn, ignore
    }

    /// Stands for every value that this version has no word for.
    package static let other: OpaqueText = "OTHER"

    /// What is done unless a policy says otherwise: a value that speaks against the device is worth a note, and a signal that the
    /// app did not switch on is not. Refusing by them locks out many genuine users.
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

    /// The reason of a refusal by this signal.
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

    /// The values that a token has of it: several of apps and marks, none where all is well with those.
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
