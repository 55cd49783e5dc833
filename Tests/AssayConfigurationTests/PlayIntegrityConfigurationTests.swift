import AssayCore
import AssaySchemes
import AssayService
import AssaySimulator
import AssayVendors
import Crypto
import Foundation
import PlayIntegrity
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Configuration of Play Integrity", .timeLimit(.minutes(30)))
struct PlayIntegrityConfigurationTests {
    let folder: TemporaryFolder
    static let signer = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF"

    init() throws {
        folder = try TemporaryFolder()
        try write(PlayConsole(seed: "new"), "new")
        try write(PlayConsole(seed: "old"), "old")
        try write(String(decoding: try CloudAccount().file, as: UTF8.self), to: "account.json")
    }

    private func write(_ console: PlayConsole, _ name: String) throws {
        try write(Base64.standard.encode(console.decryptionKey) + "\n", to: name + ".decryption")
        try write(Base64.standard.encode(console.verificationKey), to: name + ".verification")
    }

    private func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        try folder.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file(name))
    }

    private static let keys = "keys: [{decryption_key_file: new.decryption, verification_key_file: new.verification}]"
    private static let asked = "google: {service_account: account.json}"
    private static let identity = "packages: [com.example.shop], signers: [\"\(signer)\"]"

    private func text(_ section: String) -> String {
        """
        listen: [{unix: a.sock}]
        store: {path: ledger.db}
        callers: {known: [{name: handler, unix_user: 1001, roles: [verify], apps: all}]}
        apps:
          shop:
            play_integrity: {\(section)}

        """
    }

    private func parse(_ section: String) throws -> Configuration {
        try Configuration.parse(text(section), file: "assayd.yaml", folder: folder.path)
    }

    private func section(_ text: String) throws -> PlayIntegritySection {
        try #require(try parse(text).apps.first?.playIntegrity)
    }

    private func problems(_ section: String) -> String {
        do {
            _ = try parse(section)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test("The defaults of the section are safe")
    func defaults() throws {
        let section = try section("\(Self.identity), \(Self.keys)")
        #expect(section.app.packages == ["com.example.shop"])
        #expect(section.app.signers == [try #require(Hex.decode(Self.signer))])
        #expect(section.decoding == .local && section.policy == PlayIntegrityPolicy())
        #expect(section.policy.deviceVerdicts == [.device] && section.policy.appVerdicts == [.playRecognized])
        #expect(section.keys.map(\.fingerprint) == [SHA256.bytes(of: PlayConsole(seed: "new").verificationKey)])
    }

    @Test("Every key of the section is read, and key sets in their order")
    func everything() throws {
        let digits = Array(Self.signer)
        let colons = stride(from: 0, to: 64, by: 2).map { String(digits[$0..<$0 + 2]) }
        let section = try section(
            """
            packages: [com.example.shop, com.example.shop2], signers: ["\(colons.joined(separator: ":"))"], mode: local_then_google,
                google: {service_account: account.json, package: com.example.shop2},
                keys: [{decryption_key_file: new.decryption, verification_key_file: new.verification},
                       {decryption_key_file: old.decryption, verification_key_file: old.verification}],
                kinds: [classic], max_age: 10m, app_verdicts: [PLAY_RECOGNIZED, UNRECOGNIZED_VERSION],
                device_verdicts: [MEETS_STRONG_INTEGRITY, MEETS_VIRTUAL_INTEGRITY], min_version_code: 7, min_sdk_version: 33,
                signals: {licensing: {UNLICENSED: fail, OTHER: ignore}, play_protect: {HIGH_RISK: fail}, device_recall: {bitFirst: ignore}}
            """)
        #expect(section.app.signers == [try #require(Hex.decode(Self.signer))])
        #expect(section.decoding == .localThenGoogle && section.keys.count == 2)
        #expect(section.keys.last?.fingerprint == SHA256.bytes(of: PlayConsole(seed: "old").verificationKey))
        let policy = section.policy
        #expect(policy.kinds == [.classic] && policy.maxAgeMilliseconds == 600_000)
        #expect(policy.appVerdicts == [.playRecognized, .unrecognizedVersion] && policy.deviceVerdicts == [.strong, .virtual])
        #expect(policy.minVersionCode == 7 && policy.minSDKVersion == 33)
        #expect(policy.reactions(to: .licensing)["UNLICENSED"] == .fail && policy.reactions(to: .licensing)["OTHER"] == .ignore)
        #expect(policy.reactions(to: .licensing)["UNEVALUATED"] == .warn, "what is left out keeps what is usual")
        #expect(
            policy.reactions(to: .playProtect)["HIGH_RISK"] == .fail
                && policy.reactions(to: .deviceRecall)["bitFirst"] == .ignore)
    }

    @Test("No keys are needed if Google decodes the tokens")
    func google() throws {
        #expect(try section("\(Self.identity), mode: google, \(Self.asked), kinds: [standard]").policy.kinds == [.standard])
        let section = try section("\(Self.identity), mode: google, \(Self.asked)")
        #expect(section.decoding == .google && section.keys.isEmpty)
        #expect(section.google?.package == "com.example.shop", "the only one")
        #expect(section.google?.account.email == (try CloudAccount().email))
    }

    @Test(
        "Mistakes are reported",
        arguments: [
            ("\(keys)", "\"packages\" is missing"), ("\(keys)", "\"signers\" is missing"), ("\(identity)", "want \"keys\""),
            ("\(identity), mode: local_then_google", "want \"keys\""), ("\(identity), keys: []", "an empty list"),
            ("\(identity), \(keys), mode: google", "of no use"), ("\(identity), mode: google", "want \"google\""),
            ("\(identity), \(keys), mode: local_then_google", "want \"google\""),
            ("\(identity), \(keys), \(asked)", "nobody asks Google"),
            ("\(identity), \(keys), kinds: [standard]", "keys open tokens of classic requests only"),
            (
                "\(identity), \(keys), \(asked), mode: local_then_google, kinds: [standard]",
                "keys open tokens of classic requests only"
            ),
            (
                "\(identity), \(keys), signals: {licensing: {LICENSED: fail, UNLICENSED: fail, UNEVALUATED: fail, UNKNOWN: fail, OTHER: fail}}",
                "every value fails"
            ),
            ("\(identity), \(keys.replacing("]", with: ", " + keys.drop { $0 != "{" }))", "stand here twice"),
            ("\(identity), mode: google, google: {}", "\"service_account\" is missing"),
            ("\(identity), mode: google, google: {service_account: no.json}", "is missing"),
            ("\(identity), mode: google, google: {service_account: new.decryption}", "no JSON key of a service account"),
            ("\(identity), mode: google, google: {service_acount: account.json}", "did you mean \"service_account\""),
            (
                "\(identity), mode: google, google: {service_account: account.json, package: com.example.other}",
                "no package \"com.example.other\""
            ),
            (
                "packages: [com.example.shop, com.example.shop2], signers: [\"\(signer)\"], mode: google, \(asked)",
                "want \"package\""
            ),
            ("\(identity), \(keys), mode: goggle", "did you mean \"google\""),
            ("packages: [shop], signers: [\"\(signer)\"], \(keys)", "com.example.app"),
            ("packages: [com.exämple.shop], signers: [\"\(signer)\"], \(keys)", "com.example.app"),
            ("packages: [com..shop], signers: [\"\(signer)\"], \(keys)", "com.example.app"),
            ("packages: [], signers: [\"\(signer)\"], \(keys)", "want at least one package"),
            ("packages: [com.example.shop], signers: [\"00\"], \(keys)", "want a SHA-256: 32 bytes"),
            ("packages: [com.example.shop], signers: [\"\(signer.dropFirst())\"], \(keys)", "want a SHA-256: 32 bytes"),
            ("\(identity), \(keys), device_verdicts: []", "an empty list"),
            ("\(identity), \(keys), device_verdicts: [MEETS_ANY_INTEGRITY]", "want one of"),
            ("\(identity), \(keys), app_verdicts: [UNEVALUATED]", "want one of"),
            ("\(identity), \(keys), max_age: 2h", "want a duration"),
            ("\(identity), \(keys), signals: {play_protct: {}}", "did you mean \"play_protect\""),
            ("\(identity), \(keys), signals: {play_protect: {SOME_RISK: fail}}", "unknown key \"SOME_RISK\""),
            ("\(identity), \(keys), signals: {play_protect: {HIGH_RISK: refuse}}", "want one of fail, warn, ignore"),
            ("\(identity), keys: [{decryption_key_file: new.decryption}]", "\"verification_key_file\" is missing"),
            ("\(identity), keys: [{decryption_key_file: no, verification_key_file: new.verification}]", "is missing"),
            (
                "\(identity), keys: [{decryption_key_file: new.verification, verification_key_file: new.verification}]",
                "91 bytes, not 32"
            ),
            ("\(identity), keys: [{decryption_key_file: new.decryption, verification_key_file: new.decryption}]", "P-256"),
        ])
    func wrong(_ section: String, _ want: String) { #expect(problems(section).contains(want), "\(problems(section))") }

    @Test(
        "A rule that no genuine token meets is a warning",
        arguments: [
            ("app_verdicts: [UNRECOGNIZED_VERSION]", "app_verdicts"), ("min_sdk_version: 99", "min_sdk_version"),
            ("min_version_code: 2100000001", "min_version_code"), ("signals: {licensing: {LICENSED: fail}}", "LICENSED"),
            ("signals: {play_protect: {NO_ISSUES: fail}}", "NO_ISSUES"),
        ])
    func unmeetable(_ rule: String, _ place: String) throws {
        let findings = try parse("\(Self.identity), \(Self.keys), \(rule)").policyFindings(
            Timestamp(unixSeconds: 1_790_000_000))
        #expect(findings.map(\.code) == [.policyUnmeetable] && findings.first?.path.hasSuffix(place) == true, "\(findings)")
        #expect(try parse("\(Self.identity), \(Self.keys)").policyFindings(Timestamp(unixSeconds: 1_790_000_000)).isEmpty)
    }

    /// An app that registers by key attestation and requires a token beside it.
    private func together(_ section: String, package: String = "com.example.shop") throws -> Configuration {
        let android = """
                android:
                  packages: [{name: \(package), signers: ["\(Self.signer)"]}]
                  revocation: {source: none}
                  require_play_integrity: true
            """
        return try Configuration.parse(text(section) + android, file: "assayd.yaml", folder: folder.path)
    }

    @Test("A required token must be of an app and a device that can have an attested key")
    func requiredToken() throws {
        let now = Timestamp(unixSeconds: 1_790_000_000)
        #expect(try together("\(Self.identity), \(Self.keys)").policyFindings(now).isEmpty)
        let signers = try together(
            "packages: [com.example.shop], signers: [\"\(String(repeating: "11", count: 32))\"], \(Self.keys)")
        #expect(signers.policyFindings(now).map(\.message).contains { $0.contains("none of them signs a package") })
        let virtual = try together("\(Self.identity), \(Self.keys), device_verdicts: [MEETS_VIRTUAL_INTEGRITY]")
        #expect(virtual.policyFindings(now).map(\.message).contains { $0.contains("an emulator has no attested key") })
        do {
            _ = try together("\(Self.identity), \(Self.keys)", package: "com.example.other")
            Issue.record("a token of another package was accepted")
        } catch let error as ConfigurationError {
            #expect("\(error)".contains("want a package of \"android.packages\" among them"))
        }
    }

    @Test("A limit of devices is an error in an app that registers none")
    func limitWithoutDevices() throws {
        let text = text("\(Self.identity), \(Self.keys)") + "    max_devices_per_subject: 3\n"
        do {
            _ = try Configuration.parse(text, file: "assayd.yaml", folder: folder.path)
            Issue.record("the limit was accepted")
        } catch let error {
            #expect("\(error)".contains("the app registers no devices"))
        }
    }

    @Test("A key file must be private, a regular file and a key's text")
    func files() throws {
        try write(Base64.standard.encode(PlayConsole(seed: "new").decryptionKey), to: "new.decryption", mode: 0o640)
        #expect(problems("\(Self.identity), \(Self.keys)").contains("its mode must be 0600"))
        try FileManager.default.removeItem(atPath: folder.file("new.decryption"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("new.decryption"), withDestinationPath: folder.file("old.decryption"))
        #expect(problems("\(Self.identity), \(Self.keys)").contains("symbolic link"))
        try FileManager.default.removeItem(atPath: folder.file("new.decryption"))
        for text in ["", "not base64!", "AA== AA==", String(repeating: "A", count: 8192)] {
            try write(text, to: "new.decryption")
            let problems = problems("\(Self.identity), \(Self.keys)")
            #expect(problems.contains("does not hold the Base64 text of a key"), "\(problems)")
        }
    }

    @Test("An app can require a token beside a key attestation, which changes the policy")
    func required() throws {
        let android = "packages: [{name: com.example.shop, signers: [\"\(Self.signer)\"]}]"
        func app(_ more: String) throws -> AppConfiguration {
            let text = text("\(Self.identity), \(Self.keys)") + "    android: {\(android)\(more)}\n"
            return try #require(try Configuration.parse(text, file: "f", folder: folder.path).apps.first)
        }
        let (lax, strict) = (try app(""), try app(", require_play_integrity: true"))
        #expect(strict.policyDigest(testRoots: []) != lax.policyDigest(testRoots: []))
        #expect(AppProfile(lax, in: try .testing()).requiredTogether.isEmpty)
        #expect(AppProfile(strict, in: try .testing()).requiredTogether == [.keyAttestation, .playIntegrity])
    }

    @Test("A service account's key file must be private")
    func accountFile() throws {
        let section = "\(Self.identity), mode: google, \(Self.asked)"
        #expect(problems(section) == "none")
        for mode in [0o640, 0o604, 0o644] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file("account.json"))
            #expect(problems(section).contains("its mode must be 0600"))
        }
        try FileManager.default.removeItem(atPath: folder.file("account.json"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("account.json"), withDestinationPath: folder.file("old.decryption"))
        #expect(problems(section).contains("symbolic link"))
    }

    @Test("By default Google's own services are asked, over TLS")
    func addresses() throws {
        func calls(_ section: String) throws -> [String] {
            let app = "\(Self.identity), mode: google, \(Self.asked)"
            let configuration = try Configuration.parse(text(app) + section, file: "f", folder: folder.path)
            return configuration.live.outsideServices.map(\.call.address)
        }
        #expect(try calls("") == ["https://oauth2.googleapis.com", "https://playintegrity.googleapis.com"])
        let others = try calls("google: {oauth: \"https://a.example:8443/x\", play_integrity: \"https://b.example\"}\n")
        #expect(others == ["https://a.example:8443/x", "https://b.example"])
        for bad in ["{oauth: \"http://a.example\"}", "{play_integrity: b.example}", "{decode: \"https://b.example\"}", "[]"] {
            #expect(throws: ConfigurationError.self) { try calls("google: \(bad)\n") }
        }
    }

    @Test("No secret is shown, and key sets are distinguished")
    func secrecy() throws {
        let configuration = try parse("\(Self.identity), \(Self.keys)")
        let summary = configuration.summary.joined(separator: "\n")
        #expect(summary.contains("com.example.shop") && summary.contains("local, keys"))
        let secret = PlayConsole(seed: "new").decryptionKey
        for form in [Hex.encode(secret), Base64.standard.encode(secret), Base64.url.encode(secret)] {
            #expect(!summary.contains(form))
        }
        // The same text with other keys: another configuration, and another policy.
        let before = try #require(configuration.apps.first).policyDigest(testRoots: [])
        try write(PlayConsole(seed: "newer"), "new")
        let exchanged = try parse("\(Self.identity), \(Self.keys)")
        #expect(exchanged.digest != configuration.digest)
        #expect(try #require(exchanged.apps.first).policyDigest(testRoots: []) != before)
    }

    @Test(
        "Everything that affects a verdict changes the policy digest",
        arguments: [
            "max_age: 6m", "kinds: [classic]", "mode: local_then_google, \(asked)", "app_verdicts: [UNRECOGNIZED_VERSION]",
            "device_verdicts: [MEETS_STRONG_INTEGRITY]", "min_version_code: 1", "min_sdk_version: 1",
            "signals: {licensing: {UNLICENSED: fail}}",
        ])
    func digests(_ change: String) throws {
        let one = try #require(try parse("\(Self.identity), \(Self.keys)").apps.first).policyDigest(testRoots: [])
        let other = try #require(try parse("\(Self.identity), \(Self.keys), \(change)").apps.first).policyDigest(testRoots: [])
        #expect(one != other)
        let same = try #require(
            try parse("\(Self.identity), \(Self.keys), signals: {licensing: {UNLICENSED: warn}}").apps.first)
        #expect(same.policyDigest(testRoots: []) == one)
    }
}
