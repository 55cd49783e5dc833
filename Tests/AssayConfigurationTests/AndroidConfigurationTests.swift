import AndroidKeyAttestation
import AssayCertificates
import AssayCore
import AssaySchemes
import AssayService
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Configuration of Android")
struct AndroidConfigurationTests {
    static let signer = "9E:6A:8F:3E:0D:76:1A:78:01:79:F9:3A:CD:57:21:BA:1A:B7:C8:C5:37:C7:76:10:73:C0:A7:54:B0:E9:32:DE"
    static let testKey = Hex.encode(PublicTestKey.rsa4096.digest)
    static let otherKey = String(repeating: "ab", count: 32)
    static let digest = Hex.decode(signer.filter { $0 != ":" })

    /// The smallest file with an Android app, and more of its section.
    static func text(_ more: String = "", packages: String = "[{name: com.example.photos, signers: [\"\(signer)\"]}]") -> String
    {
        """
        listen: [{unix: a.sock}]
        store: {path: ledger.db}
        callers: {known: [{name: handler, unix_user: 1001, roles: [verify], apps: all}]}
        apps:
          photos:
            android:
              packages: \(packages)
        \(more.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n"))
        """
    }

    private func parse(_ text: String) throws -> Configuration {
        try Configuration.parse(text, file: "assayd.yaml", folder: "/nowhere")
    }

    private func section(_ more: String = "") throws -> AndroidKeyAttestationSection {
        try #require(try parse(Self.text(more)).apps.first?.android)
    }

    @Test("The defaults of the section are safe")
    func defaults() throws {
        let android = try section()
        let app = AndroidApp(packageName: "com.example.photos", signers: [try #require(Self.digest)])
        #expect(android.policy == AndroidPolicy(apps: [app]))
        #expect(android.policy.minimumLevel == .trustedEnvironment)
        #expect(android.policy.boot == BootRule() && android.policy.key == KeyRule())
        #expect(android.anchors(with: []) == TrustAnchor.googleHardware)
        #expect(!android.trustsSoftwareRoots)
    }

    @Test("Every key of the section is read")
    func everything() throws {
        let android = try section(
            """
            security_level: strongbox
            verified_boot: {self_signed_keys: ["\(Self.signer)"], denied_keys: ["\(Self.otherKey)"], allow_unlocked: true}
            min_os_version: 130000
            patch_levels: {os: 202503, vendor: 12months, boot: 24months, refuse_unreadable: true, months_ahead: 1}
            key:
              origins: [generated, securely_imported]
              purposes: [sign, verify]
              forbidden_purposes: [attest_key, decrypt]
              kinds: [ec_p256, ml_dsa_65]
              properties: [unlocked_device, rollback_resistance]
              user_authentication: {methods: [biometric], max_timeout: 30s}
            remote_key_provisioning: {require_remote: true, max_certificates: 100, remote_key_per_day: 3, overuse: reject}
            attested_ids: {brand: [google], model: [Pixel 9, Pixel 9 Pro]}
            creation_window: 5m
            require_tag_order: true
            require_equal_versions: true
            allow_suspended: true
            denied: {serials: [5204497, "0F:ab:3", "00ff"], public_keys: ["\(Self.signer)"]}
            """)
        let key = try #require(Self.digest)
        var expected = AndroidPolicy(
            apps: android.policy.apps, minimumLevel: .strongBox,
            boot: BootRule(
                states: [.verified, .selfSigned, .unverified], requiresLocked: false, selfSignedKeys: [key],
                deniedKeys: [[UInt8](repeating: 0xAB, count: 32)]),
            minimumOSVersion: 130_000,
            patchLevels: PatchLevelRules(
                os: PatchLevel(202_503).map { .level($0) }, vendor: .months(12), boot: .months(24), refusesUnreadable: true,
                monthsAhead: 1),
            creationWindow: 300_000, requiresTagOrder: true, requiresEqualVersions: true, allowsSuspended: true,
            denied: DenyList(serials: [[0x05, 0x20, 0x44, 0x97], [0xFA, 0xB3], [0xFF]], publicKeys: [key]))
        expected.key = KeyRule(
            origins: [.generated, .securelyImported], requiredPurposes: [.sign, .verify],
            forbiddenPurposes: [.attestKey, .decrypt], kinds: [.p256, .mlDSA65],
            authentication: AuthenticationRule(methods: [.biometric], longest: 30),
            properties: [.unlockedDevice, .rollbackResistance])
        expected.provisioning = RemoteKeyProvisioningRule(
            requiresRemote: true, certificateLimit: 100, remoteKeyPerDay: 3, refusesOveruse: true)
        expected.attestedIDs = [.brand: ["google"], .model: ["Pixel 9", "Pixel 9 Pro"]]
        #expect(android.policy == expected)
        let emulator = try section(
            "security_level: software\ntrust_software_roots: true\nremote_key_provisioning: {factory_key_per_day: 50}")
        #expect(emulator.anchors(with: []) == TrustAnchor.googleHardware + TrustAnchor.googleSoftware)
        #expect(emulator.policy.provisioning.factoryKeyPerDay == 50)
    }

    @Test("Settings for development are warned of, and the summary lists the packages")
    func summary() throws {
        let plain = try parse(Self.text())
        #expect(plain.warnings.isEmpty && plain.summary.contains { $0.contains("com.example.photos") })
        #expect(try parse(Self.text("security_level: software\ntrust_software_roots: true")).warnings.count == 1)
        #expect(try parse(Self.text("verified_boot: {allow_unlocked: true}")).warnings.count == 1)
        #expect(try parse(Self.text("verified_boot: {allow_test_keys: [testkey_rsa2048]}")).warnings.count == 1)
    }

    @Test("Public test keys are allowed by name, and not by digest alone")
    func testKeys() throws {
        let plain = try #require(try parse(Self.text()).apps.first?.android?.policy.boot)
        #expect(plain.allowedTestKeys.isEmpty)
        let digest = Hex.encode(PublicTestKey.rsa4096.digest)
        let both = try parse(
            Self.text("verified_boot: {self_signed_keys: [\"\(digest)\"], allow_test_keys: [testkey_rsa4096]}"))
        let boot = try #require(both.apps.first?.android?.policy.boot)
        #expect(boot.allowedTestKeys == [.rsa4096] && boot.selfSignedKeys == [PublicTestKey.rsa4096.digest])
        #expect(throws: ConfigurationError.self) {
            try parse(Self.text("verified_boot: {self_signed_keys: [\"\(digest)\"], allow_test_keys: [testkey_rsa2048]}"))
        }
        #expect(throws: ConfigurationError.self) { try parse(Self.text("verified_boot: {allow_test_keys: [testkey]}")) }
    }

    @Test("The section makes the app's verifier, and each rule changes the policy digest")
    func profile() throws {
        let changes = [
            "", "security_level: strongbox", "verified_boot: {denied_keys: [\"\(Self.signer)\"]}",
            "verified_boot: {allow_test_keys: [testkey_rsa4096]}",
            "verified_boot: {self_signed_keys: [\"\(Self.signer)\"]}", "verified_boot: {allow_unlocked: true}",
            "min_os_version: 130000", "patch_levels: {os: 202503}", "patch_levels: {vendor: 202503}",
            "patch_levels: {boot: 202503}", "patch_levels: {os: 12months}",
            "patch_levels: {vendor: 202503, refuse_unreadable: true}",
            "patch_levels: {months_ahead: 1}", "key: {origins: [imported]}", "key: {purposes: []}",
            "key: {forbidden_purposes: []}", "key: {kinds: [rsa]}", "key: {properties: [user_presence]}",
            "key: {user_authentication: {}}", "key: {user_authentication: {methods: [password]}}",
            "key: {user_authentication: {max_timeout: 0s}}", "remote_key_provisioning: {require_remote: true}",
            "remote_key_provisioning: {max_certificates: 5}", "remote_key_provisioning: {remote_key_per_day: 5}",
            "remote_key_provisioning: {factory_key_per_day: 5}", "remote_key_provisioning: {overuse: reject}",
            "attested_ids: {brand: [google]}",
            "attested_ids: {model: [google]}", "creation_window: 5m", "require_tag_order: true", "require_equal_versions: true",
            "allow_suspended: true",
            "denied: {serials: [77]}", "denied: {serials: [78]}", "denied: {public_keys: [\"\(Self.signer)\"]}",
            "security_level: software", "security_level: software\ntrust_software_roots: true", "revocation: {source: none}",
        ]
        var digests: Set<[UInt8]> = []
        for change in changes {
            let app = try #require(try parse(Self.text(change)).apps.first)
            let profile = AppProfile(app, in: try .testing())
            #expect(profile.verifiers[.keyAttestation] != nil)
            #expect(digests.insert(profile.policyDigest).inserted, "\(change)")
        }
    }

    @Test(
        "A section without an app, and one with impossible values, are refused",
        arguments: [
            ("packages: []", "want at least one package"),
            ("packages: [{name: com.example.photos}]", "\"signers\" is missing"),
            ("packages: [{name: com.example.photos, signers: []}]", "want at least one signer"),
            ("packages: [{signers: [\"\(signer)\"]}]", "\"name\" is missing"),
            ("packages: [{name: com.example.photos, signers: [\"1234\"]}]", "want a SHA-256: 32 bytes in hexadecimal"),
            ("packages: [{name: photos, signers: [\"\(signer)\"]}]", "want a package such as com.example.app, have \"photos\""),
            ("packages: [{name: com..photos, signers: [\"\(signer)\"]}]", "want a package such as com.example.app"),
            ("packages: [{name: com.example.phötos, signers: [\"\(signer)\"]}]", "want a package such as com.example.app"),
            ("packages: [{name: com/example, signers: [\"\(signer)\"]}]", "want a package such as com.example.app"),
            (
                "packages: [{name: com.\(String(repeating: "a", count: 252)), signers: [\"\(signer)\"]}]",
                "want a package such as com.example.app"
            ),
            ("security_level: tea", "did you mean \"tee\"?"), ("patch_levels: {os: 202513}", "want a month such as 202503"),
            ("patch_levels: {os: 121months}", "want a month such as 202503"), ("patch_levels: {os: 12m}", "want a month"),
            ("key: {purposes: [sign], forbidden_purposes: [sign]}", "both demanded and forbidden"),
            ("key: {kinds: []}", "an empty list allows nothing"), ("attested_ids: {colour: [red]}", "unknown key \"colour\""),
            ("denied: {serials: [1]}", "is that of nearly every attested key"),
            ("denied: {serials: [\"00\"]}", "want a serial number in hexadecimal"),
            ("denied: {serials: [0x77]}", "want a serial number in hexadecimal"),
            ("denied: {public_keys: [\"1234\"]}", "want a SHA-256: 32 bytes in hexadecimal"),
            ("denied: {keys: []}", "unknown key \"keys\""),
            (
                "provisioning: {require_remote: true}",
                "unknown key \"provisioning\"; it is called \"remote_key_provisioning\" now"
            ),
            ("min_os_version: 14", "want a number from 10000"), ("extra_roots: [root.pem]", "cannot be read"),
            ("key: {kinds: [x25519]}", "no key of the kinds x25519 can have the purposes that are demanded: sign"),
            ("key: {kinds: [ec_p256, ed25519], purposes: [sign, decrypt]}", "no key of the kinds ec_p256, ed25519 can have"),
            ("key: {purposes: [agree_key, decrypt]}", "no key can have the purposes that are demanded: agree_key, decrypt"),
            ("key: {purposes: [sign, attest_key], forbidden_purposes: []}", "no key can have the purposes"),
            ("verified_boot: {self_signed_keys: [\"\(signer)\"], denied_keys: [\"\(signer)\"]}", "\"denied_keys\" too"),
            (
                "verified_boot: {allow_test_keys: [testkey_rsa4096], denied_keys: [\"\(testKey)\"]}",
                "testkey_rsa4096 stands in \"denied_keys\" too"
            ),
            ("patch_levels: {os: 202503, refuse_unreadable: true}", "nothing without \"vendor\" or \"boot\""),
            ("remote_key_provisioning: {require_remote: true, factory_key_per_day: 5}", "keys from the factory are refused"),
            ("trust_software_roots: true", "needs \"security_level: software\""),
            ("allow_suspended: true\nrevocation: {source: none}", "nothing where no list is consulted"),
            ("attested_ids: {}", "want at least one of brand"), ("attested_ids: {brand: [\"\"]}", "an empty text"),
            ("packages: [{name: com.1example, signers: [\"\(signer)\"]}]", "want a package such as com.example.app"),
            ("require_play_integrity: true", "want \"play_integrity\": the app requires its tokens"),
        ])
    func mistakes(_ line: String, _ want: String) {
        let text =
            line.hasPrefix("packages: ") ? Self.text(packages: String(line.dropFirst("packages: ".count))) : Self.text(line)
        do {
            _ = try parse(text)
            Issue.record("\(line) was taken")
        } catch {
            #expect("\(error)".contains(want), "\(error)")
            #expect((error as? ConfigurationError)?.problems.count == 1, "\(error)")
        }
    }
}
