import AppAttest
import AssayCertificates
import AssayCore
import AssaySimulator

extension AssertionCase {
    /// Row 48: the counter.
    static let counters: [AssertionCase] = [
        .init(48, "the counter of the last one", .counterNotIncreasing) { $0.counter = 1 },
        .init(48, "a counter below the last one", .counterNotIncreasing) { $0.counter = 2 },
        .init(48, "counter 0", .counterNotIncreasing, .genuine.counter(0)),
        .init(48, "counter 0 under a window", .counterNotIncreasing, .genuine.counter(0)) {
            $0.policy.counterRule = .window64
        },
        .init(48, "a counter below the last one, where the app says nothing of counters", nil) {
            $0.counter = 2
            $0.policy = AppAttestPolicy()
        },
        .init(48, "a gap", nil, .genuine.counter(1000)),
        .init(48, "the last counter there is", nil, .genuine.counter(.max)),
        .init(48, "the last counter there is, right behind its neighbour", nil, .genuine.counter(.max)) {
            $0.counter = .max - 1
        },
        .init(48, "the last counter there is, again", .counterNotIncreasing, .genuine.counter(.max)) { $0.counter = .max },
        .init(48, "anything behind the last counter there is", .counterNotIncreasing) { $0.counter = .max },
        .init(48, "63 below the highest, under a window", nil, .genuine.counter(37)) {
            $0.counter = 100
            $0.policy.counterRule = .window64
        },
        .init(48, "64 below the highest, under a window", .counterTooOld, .genuine.counter(36)) {
            $0.counter = 100
            $0.policy.counterRule = .window64
        },
        .init(48, "the highest again, under a window", .counterNotIncreasing, .genuine.counter(100)) {
            $0.counter = 100
            $0.policy.counterRule = .window64
        },
    ]

    /// A registered device is appraised under today's rules.
    static let today: [AssertionCase] = [
        .init(0, "an app that is no longer configured", .appIDMismatch) { $0.identities = [] },
        .init(0, "another app in its place", .appIDMismatch) { $0.identities = [Sample.identity(Sample.otherAppID)] },
        .init(0, "the same app on another platform", .appIDMismatch) {
            $0.identities = [Sample.identity(Sample.appID, .macOS)]
        },
        .init(0, "the same app on both platforms", nil) {
            $0.identities = [Sample.identity(Sample.appID, .macOS), Sample.identity()]
        },
        .init(0, "a registration without an App ID", .appIDMismatch) {
            $0.found = {
                try? Sample.device($0.registration.with { $0.removeAll { $0.name == "rp_id_hash" } })
            }
        },
        .init(0, "a registration of an unknown platform", nil) {
            $0.found = { try? Sample.device($0.registration.with { $0.removeAll { $0.name == "platform" } }) }
        },
        .init(0, "a receipt that was not verified, where one is required", .receiptNotVerified) {
            $0.policy.receipt.mode = .require
            $0.found = { try? Sample.device($0.registration.with { $0.removeAll { $0.name == "receipt_verified" } }) }
        },
        .init(0, "a receipt that was verified, where one is required", nil) { $0.policy.receipt.mode = .require },
        .init(0, "a risk that is higher than allowed", .riskMetricTooHigh) {
            $0.policy.receipt.maxRiskMetric = 4
            $0.policy.receipt.rejectsHighRisk = true
            $0.found = { $0.with(risk: 5) }
        },
        .init(0, "a risk that is just allowed", nil) {
            $0.policy.receipt.maxRiskMetric = 5
            $0.policy.receipt.rejectsHighRisk = true
            $0.found = { $0.with(risk: 5) }
        },
        .init(0, "a risk that is higher than what is reported", nil) {
            $0.policy.receipt.maxRiskMetric = 4
            $0.found = { $0.with(risk: 5) }
        },
        .init(0, "a risk that is not known yet", nil) {
            $0.policy.receipt.maxRiskMetric = 0
            $0.policy.receipt.rejectsHighRisk = true
        },
        .init(0, "a risk that can never be known, where a high one rejects", .receiptNotVerified) {
            $0.policy.receipt.maxRiskMetric = 0
            $0.policy.receipt.rejectsHighRisk = true
            $0.found = { try? Sample.device($0.registration.with { $0.removeAll { $0.name == "receipt_verified" } }) }
        },
        .init(0, "a risk that can never be known of an imported device, where a high one rejects", .receiptNotVerified) {
            $0.policy.receipt.maxRiskMetric = 0
            $0.policy.receipt.rejectsHighRisk = true
            $0.policy.acceptImported = true
            $0.found = {
                try? Sample.device($0.registration.with(imported: true) { $0.removeAll { $0.name == "receipt_verified" } })
            }
        },
        .init(0, "an environment that is no longer allowed", .environmentMismatch) {
            $0.phone = Sample.phone(environment: .development)
            $0.identitiesThen = [Sample.identity(environments: [.development])]
        },
        .init(0, "an environment that the other app allows", .environmentMismatch) {
            $0.identities = [
                Sample.identity(environments: [.development]), Sample.identity(Sample.otherAppID),
            ]
        },
        .init(0, "an environment that a second entry of the same App ID allows", nil) {
            $0.identities = [Sample.identity(environments: [.development]), Sample.identity()]
        },
        .init(0, "an unknown environment", .environmentMismatch) {
            $0.found = { try? Sample.device($0.registration.with(environment: "sandbox")) }
        },
        .init(0, "an anchor that is no longer trusted", .untrustedRoot) { $0.anchors = TrustAnchor.appAttest },
        .init(0, "no anchors", .untrustedRoot) { $0.anchors = [] },
        .init(0, "an imported registration", .importedNotAccepted) {
            $0.found = { try? Sample.device($0.registration.with(imported: true)) }
        },
        .init(0, "an imported registration where they are accepted", nil) {
            $0.found = { try? Sample.device($0.registration.with(imported: true)) }
            $0.policy.acceptImported = true
            $0.anchors = []
        },
        .init(0, "an imported registration of an app that is no longer configured", .appIDMismatch) {
            $0.found = { try? Sample.device($0.registration.with(imported: true)) }
            $0.policy.acceptImported = true
            $0.identities = []
        },
        .init(0, "an anchor that is no longer trusted where imported ones are accepted", .untrustedRoot) {
            $0.policy.acceptImported = true
            $0.anchors = []
        },
        .init(
            0, "a registered category that is no longer allowed", .categoryNotAllowed,
            .genuine.authenticatorData { $0.extensions = nil }
        ) {
            $0.policy.allowedValidationCategories = [2]
        },
        .init(0, "a registered category that is allowed", nil, .genuine.authenticatorData { $0.extensions = nil }) {
            $0.policy.allowedValidationCategories = [4]
        },
        .init(
            0, "a registered category that was vouched for, where extensions are required", nil,
            .genuine.authenticatorData { $0.extensions = nil }
        ) { $0.policy = AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true) },
        .init(
            0, "a registered category beside a declared map without one, where extensions are required", .categoryMissing,
            .genuine.authenticatorData {
                $0.flags = 0xC0
                $0.extensions?[AuthenticatorDataDraft.validationCategoryKey] = nil
            }
        ) { $0.policy = AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true) },
        .init(
            0, "a registered category that nothing vouched for, where extensions are required", .categoryMissing,
            .genuine.authenticatorData { $0.extensions = nil }
        ) {
            $0.policy = AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true)
            $0.found = { try? Sample.device($0.registration.with { $0.removeAll { $0.name == "receipt_verified" } }) }
        },
        .init(
            0, "a registered category that nothing vouched for and that is not allowed", .categoryNotAllowed,
            .genuine.authenticatorData { $0.extensions = nil }
        ) {
            $0.policy.allowedValidationCategories = [2]
            $0.found = { try? Sample.device($0.registration.with { $0.removeAll { $0.name == "receipt_verified" } }) }
        },
        .init(
            0, "a registered version where a list demands one", .bundleVersionNotAllowed,
            .genuine.authenticatorData {
                $0.flags = 0xC0
                $0.extensions?["apple_bundle_version_01"] = nil
            }
        ) { $0.policy = AppAttestPolicy(allowedBundleVersions: ["1"], requireExtensions: true) },
        .init(
            0, "a category better than the registered one", nil,
            .genuine.authenticatorData {
                $0.flags = 0xC0
                $0.extensions?[AuthenticatorDataDraft.validationCategoryKey] = AuthenticatorDataDraft.validationCategory(2)
            }
        ) { $0.policy.allowedValidationCategories = [2] },
    ]
}
