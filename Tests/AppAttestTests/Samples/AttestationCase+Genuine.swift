import AppAttest
import AssayCore
import AssayEncoding
import AssaySimulator

extension AttestationCase {
    private static func mac(_ attestation: inout AttestationCase) {
        attestation.phone = Sample.mac()
        attestation.identities = [Sample.identity(Sample.appID, .macOS)]
    }

    private static func accessList(_ change: @escaping @Sendable (inout [UInt8]) -> Void) -> AttestationChanges {
        .genuine.leaf { leaf in
            guard var value = leaf[ExtensionName.appleAccessControl]?.value else { return }
            change(&value)
            leaf[ExtensionName.appleAccessControl]?.value = value
        }
    }

    /// Row 39: keys of Macs.
    static let macs: [AttestationCase] = [
        .init(39, "a Mac with full security", nil, .genuine, mac),
        .init(
            39, "a Mac without the access control list", .aclMissing,
            .genuine.leaf { $0[ExtensionName.appleAccessControl] = nil }, mac),
        .init(39, "an iPhone of OS 27 under the App ID of a Mac", .aclMismatch) {
            $0.identities = [Sample.identity(Sample.appID, .macOS)]
        },
        .init(39, "an iPhone of OS 18 under the App ID of a Mac", .aclMissing) {
            $0.phone = Sample.phone("18.5")
            $0.identities = [Sample.identity(Sample.appID, .macOS)]
        },
        .init(39, "a list with a byte more", .aclMismatch, accessList { $0.append(0) }, mac),
        .init(39, "a list with a byte less", .aclMismatch, accessList { $0.removeLast() }, mac),
        .init(39, "a list with another bit", .aclMismatch, accessList { $0[$0.count - 1] ^= 2 }, mac),
        .init(39, "an empty list", .aclMismatch, accessList { $0 = [] }, mac),
        .init(39, "the rules of the Mac where an App ID is configured for both", .aclMismatch) {
            $0.identities = [Sample.identity(), Sample.identity(Sample.appID, .macOS)]
        },
        .init(39, "a Mac under the App ID of an iPhone, whose list is not required", nil) { $0.phone = Sample.mac() },
        .init(39, "a Mac whose list allows Developer ID", nil, .genuine) {
            mac(&$0)
            $0.policy.allowedValidationCategories = [6]
        },
    ]

    private static func extensions(_ entries: (String, [UInt8])...) -> AttestationChanges {
        .genuine.authenticatorData { data in
            var map = CBORMap()
            for (key, value) in entries { map.append(key, value) }
            data.extensions = map
        }
    }

    /// Accepted cases.
    static let genuine: [AttestationCase] = [
        .init(0, "an iPhone of OS 14", nil) { $0.phone = Sample.phone("14.4") },
        .init(0, "an iPhone of OS 18", nil) { $0.phone = Sample.phone("18.5") },
        .init(0, "an iPhone of OS 27", nil),
        .init(0, "an iPhone of OS 27 that sets ED", nil, .genuine.authenticatorData { $0.flags = 0xC0 }),
        .init(0, "flags of a user's presence", nil, .genuine.authenticatorData { $0.flags = 0xC5 }),
        .init(0, "a category as a number", nil, extensions(("apple_validation_category_01", CBORWriter.integer(4)))) {
            $0.policy = AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true)
        },
        .init(0, "a category of 2^32 - 1", nil, extensions(("apple_validation_category_01", CBORWriter.integer(0xFFFF_FFFF)))),
        .init(
            0, "the short names", nil,
            extensions(("validationCategory", CBORWriter.integer(4)), ("bundleVersion", CBORWriter.text("1")))
        ) {
            $0.policy = AppAttestPolicy(
                allowedValidationCategories: [4], allowedBundleVersions: ["1"], requireExtensions: true)
        },
        .init(
            0, "the long names before the short ones", nil,
            extensions(
                ("validationCategory", CBORWriter.integer(3)), ("apple_validation_category_01", CBORWriter.integer(4)),
                ("bundleVersion", CBORWriter.text("0")), ("apple_bundle_version_01", CBORWriter.text("1")))
        ) { $0.policy = AppAttestPolicy(allowedValidationCategories: [4], allowedBundleVersions: ["1"]) },
        .init(0, "an empty map", nil, extensions()),
        .init(0, "unknown keys", nil, extensions(("zz", [0xF5]), ("aa", [0x80]))),
        .init(0, "an unsigned cdHash", nil, .genuine.object { $0.append("cdHash", CBORWriter.bytes([1])) }),
        .init(0, "another unsigned member", nil, .genuine.object { $0.append("more", [0xF6]) }),
        .init(0, "another member of the statement", nil, .genuine.statement { $0.append("more", [0xF6]) }),
        .init(0, "members in another order", nil, .genuine.object { $0.entries.reverse() }),
        .init(0, "any receipt, where it is only reported", nil, .genuine.statement { $0["receipt"] = CBORWriter.bytes([0]) }),
        .init(0, "an App Clip under the full app's id", nil) { $0.phone = Sample.phone(appID: Sample.appID) },
        .init(0, "a prefix that is no team", nil) {
            $0.phone = Sample.phone(appID: "OLDPREFIX.com.example.app")
            $0.identities = [Sample.identity("OLDPREFIX.com.example.app")]
        },
        .init(0, "a known hash of an App ID", nil) {
            $0.identities = [AppAttestIdentity(rpIDHash: Sample.identity().rpIDHash, platform: .iOS)].compactMap { $0 }
        },
        .init(0, "development where it is allowed", nil) {
            $0.phone = Sample.phone(environment: .development)
            $0.identities = [Sample.identity(environments: [.development, .production])]
        },
        .init(0, "an environment that a second entry of the same App ID allows", nil) {
            $0.phone = Sample.phone(environment: .development)
            $0.identities = [Sample.identity(), Sample.identity(environments: [.development])]
        },
    ]
}
