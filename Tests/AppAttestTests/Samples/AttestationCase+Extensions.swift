import AppAttest
import AssayCore
import AssayEncoding
import AssaySimulator

extension AttestationCase {
    /// Bytes in the place of the system's extensions.
    private static func map(_ bytes: [UInt8]) -> AttestationChanges {
        .genuine.authenticatorData { $0.extensions = nil }.authenticatorBytes { $0 += bytes }
    }

    private static func entries(_ change: @escaping @Sendable (inout CBORMap) -> Void) -> AttestationChanges {
        .genuine.authenticatorData { data in
            guard var map = data.extensions else { return }
            change(&map)
            data.extensions = map
        }
    }

    private static func category(_ item: [UInt8]) -> AttestationChanges {
        entries { $0[AuthenticatorDataDraft.validationCategoryKey] = item }
    }

    /// Rows 34 to 38: extensions and policy.
    static let extensions: [AttestationCase] = [
        .init(
            34, "ED and nothing behind it", .malformedAuthData,
            .genuine.authenticatorData {
                $0.flags = 0xC0; $0.extensions = nil
            }),
        .init(35, "a number", .malformedAuthData, map([0x01])),
        .init(35, "an array", .malformedAuthData, map([0x80])),
        .init(35, "a number for a key", .malformedAuthData, map([0xA1, 0x01, 0x01])),
        .init(35, "bytes for a key", .malformedAuthData, map([0xA1, 0x41, 0x61, 0x01])),
        .init(35, "a key twice", .malformedAuthData, map([0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x01])),
        .init(35, "two maps", .malformedAuthData, map([0xA0, 0xA0])),
        .init(35, "a map behind that of the system", .malformedAuthData, .genuine.authenticatorBytes { $0 += [0xA0] }),
        .init(35, "a byte behind the map", .malformedAuthData, .genuine.authenticatorBytes { $0 += [0x00] }),
        .init(35, "half a map", .malformedAuthData, .genuine.authenticatorBytes { $0.removeLast() }),
        .init(35, "a map of indefinite length", .malformedAuthData, entries { $0.indefinite = true }),
        .init(35, "a map of 33 keys", .malformedAuthData, entries { for n in 0..<31 { $0.append("k\(n)", [0x01]) } }),
        .init(
            35, "a map that is too deep", .malformedAuthData, entries { $0.append("k", [0x81, 0x81, 0x81, 0x81, 0x81, 0x00]) }),
        .init(36, "a category that is not on the list", .categoryNotAllowed) {
            $0.policy.allowedValidationCategories = [2, 6]
        },
        .init(36, "a category where none is allowed", .categoryNotAllowed) { $0.policy.allowedValidationCategories = [] },
        .init(36, "development under a list for production", .categoryNotAllowed) {
            $0.phone.validationCategory = 3
            $0.policy.allowedValidationCategories = [2, 4]
        },
        .init(36, "a category of three bytes", .malformedAuthData, category(CBORWriter.bytes([4, 0, 0]))),
        .init(36, "a category of five bytes", .malformedAuthData, category(CBORWriter.bytes([4, 0, 0, 0, 0]))),
        .init(36, "a category of no bytes", .malformedAuthData, category(CBORWriter.bytes([]))),
        .init(36, "a category as text", .malformedAuthData, category(CBORWriter.text("4"))),
        .init(36, "a negative category", .malformedAuthData, category(CBORWriter.integer(-1))),
        .init(36, "a category of 2^32", .malformedAuthData, category(CBORWriter.integer(1 << 32))),
        .init(36, "a category of null", .malformedAuthData, category([0xF6])),
        .init(
            36, "a wrong short category beside a right long one", .malformedAuthData,
            entries { $0.append("validationCategory", CBORWriter.text("4")) }),
        .init(37, "no extensions where they are required", .categoryMissing) {
            $0.phone = Sample.phone("18.5")
            $0.policy.requireExtensions = true
        },
        .init(
            37, "a map without a category where it is required", .categoryMissing,
            entries { $0[AuthenticatorDataDraft.validationCategoryKey] = nil }
        ) { $0.policy.requireExtensions = true },
        .init(
            37, "an empty map where extensions are required", .categoryMissing, map([0xA0])
        ) { $0.policy.requireExtensions = true },
        .init(38, "a version that is not on the list", .bundleVersionNotAllowed) {
            $0.policy.allowedBundleVersions = ["2", "1.0"]
        },
        .init(38, "a version that only Unicode takes for the listed one", .bundleVersionNotAllowed) {
            $0.phone.bundleVersion = "cafe\u{301}"
            $0.policy.allowedBundleVersions = ["caf\u{E9}"]
        },
        .init(38, "a version that is listed in both of its forms", nil) {
            $0.phone.bundleVersion = "cafe\u{301}"
            $0.policy.allowedBundleVersions = ["caf\u{E9}", "cafe\u{301}"]
        },
        .init(
            38, "no version where a list demands one", .bundleVersionNotAllowed,
            entries { $0[AuthenticatorDataDraft.bundleVersionKey] = nil }
        ) { $0.policy = AppAttestPolicy(allowedBundleVersions: ["1"], requireExtensions: true) },
        .init(
            38, "a version as bytes", .malformedAuthData,
            entries { $0[AuthenticatorDataDraft.bundleVersionKey] = CBORWriter.bytes([0x31]) }),
        .init(
            38, "a version that is not UTF-8", .malformedAuthData,
            entries { $0[AuthenticatorDataDraft.bundleVersionKey] = [0x61, 0xFF] }),
    ]
}
