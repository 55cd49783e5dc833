import AppAttest
import AssayCore
import AssayEncoding
import AssaySimulator

extension AssertionCase {
    private static func map(_ bytes: [UInt8]) -> AssertionChanges {
        .genuine.authenticatorData { $0.extensions = nil }.authenticatorBytes { $0 += bytes }
    }

    private static func category(_ item: [UInt8]) -> AssertionChanges {
        .genuine.authenticatorData { $0.extensions?[AuthenticatorDataDraft.validationCategoryKey] = item }
    }

    /// All four flags, with and without a map.
    private static func flags(_ flags: UInt8, map: Bool, _ code: ReasonCode? = nil) -> AssertionCase {
        .init(
            map ? 51 : 50, "flags \(Hex.encode([flags])) \(map ? "with" : "without") a map", code,
            .genuine.authenticatorData {
                $0.flags = flags
                if !map { $0.extensions = nil }
            })
    }

    /// Rows 34 to 38, 50 and 51.
    static let extensions: [AssertionCase] = [
        flags(0x00, map: false), flags(0x40, map: false), flags(0x80, map: false, .malformedAuthData),
        flags(0xC0, map: false, .malformedAuthData), flags(0x00, map: true), flags(0x40, map: true), flags(0x80, map: true),
        flags(0xC0, map: true),
        .init(35, "a number", .malformedAuthData, map([0x01])),
        .init(35, "a number for a key", .malformedAuthData, map([0xA1, 0x01, 0x01])),
        .init(35, "a key twice", .malformedAuthData, map([0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x01])),
        .init(35, "two maps", .malformedAuthData, .genuine.authenticatorBytes { $0.append(0xA0) }),
        .init(35, "a byte behind the map", .malformedAuthData, .genuine.authenticatorBytes { $0.append(0x00) }),
        .init(36, "a category of three bytes", .malformedAuthData, category(CBORWriter.bytes([4, 0, 0]))),
        .init(36, "a category of 2^32", .malformedAuthData, category(CBORWriter.integer(1 << 32))),
        .init(36, "a category as text", .malformedAuthData, category(CBORWriter.text("4"))),
        .init(36, "a category that is not on the list", .categoryNotAllowed) {
            $0.policy.allowedValidationCategories = [2]
        },
        .init(
            36, "a category as a number", nil,
            .genuine.authenticatorData {
                $0.flags = 0xC0
                $0.extensions?[AuthenticatorDataDraft.validationCategoryKey] = CBORWriter.integer(2)
            }
        ) {
            $0.policy = AppAttestPolicy(allowedValidationCategories: [2], requireExtensions: true)
        },
        .init(37, "no extensions where they are required", .categoryMissing) {
            $0.phone = Sample.phone("18.5")
            $0.policy.requireExtensions = true
        },
        .init(38, "a version that is not on the list", .bundleVersionNotAllowed) {
            $0.policy.allowedBundleVersions = ["2"]
        },
        .init(38, "no version, and a list that demands none", nil) {
            $0.phone = Sample.phone("18.5")
            $0.policy.allowedBundleVersions = ["2"]
        },
    ]

    /// Accepted cases; row 54 is the unsigned member.
    static let genuine: [AssertionCase] = [
        .init(0, "an iPhone of OS 18", nil) { $0.phone = Sample.phone("18.5") },
        .init(0, "an iPhone of OS 27", nil, .genuine.authenticatorData { $0.flags = 0xC0 }) {
            $0.policy = AppAttestPolicy(
                allowedValidationCategories: [4], allowedBundleVersions: ["1"], requireExtensions: true)
        },
        .init(0, "an iPhone of OS 27 that leaves ED clear", nil) {
            $0.policy = AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true)
        },
        .init(0, "an iPhone of OS 27 that leaves ED clear, where its version must be told", .bundleVersionNotAllowed) {
            $0.policy = AppAttestPolicy(allowedBundleVersions: ["1"], requireExtensions: true)
        },
        .init(0, "a Mac", nil) {
            $0.phone = Sample.mac()
            $0.identitiesThen = [Sample.identity(Sample.appID, .macOS)]
            $0.identities = $0.identitiesThen
            $0.policy.allowedValidationCategories = [6]
        },
        .init(
            0, "the short names", nil,
            .genuine.authenticatorData {
                $0.flags = 0xC0
                var map = CBORMap()
                map.append("validationCategory", CBORWriter.integer(4))
                map.append("bundleVersion", CBORWriter.text("2"))
                $0.extensions = map
            }
        ) {
            $0.policy = AppAttestPolicy(
                allowedValidationCategories: [4], allowedBundleVersions: ["2"], requireExtensions: true)
        },
        .init(0, "a key that was attested in development, where that is allowed", nil) {
            $0.phone = Sample.phone(environment: .development)
            $0.identitiesThen = [Sample.identity(environments: [.development, .production])]
            $0.identities = $0.identitiesThen
        },
        .init(54, "an unsigned cdHash", nil, .genuine.object { $0.append("cdHash", CBORWriter.bytes([1])) }),
        .init(54, "another unsigned member", nil, .genuine.object { $0.append("more", [0xF6]) }),
        .init(54, "members in another order", nil, .genuine.object { $0.entries.reverse() }),
    ]
}
