import AssayCore
import AssaySimulator
import Crypto
import Foundation
import PlayIntegrity
import Testing

@testable import AssayHost

@Suite("Configuration of Play Integrity", .timeLimit(.minutes(2)))
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
    private static let identity = "packages: [com.example.shop], signers: [\"\(signer)\"]"

    private func parse(_ section: String) throws -> Configuration {
        let text = """
            listen: [{unix: a.sock}]
            store: {path: ledger.db}
            callers: {known: [{name: handler, unix_user: 1001, roles: [verify], apps: all}]}
            apps:
              shop:
                play_integrity: {\(section)}
            """
        return try Configuration.parse(text, file: "assayd.yaml", folder: folder.path)
    }

    private func section(_ text: String) throws -> Configuration.App.PlayIntegrity {
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

    @Test("takes defaults that are safe")
    func defaults() throws {
        let section = try section("\(Self.identity), \(Self.keys)")
        #expect(section.identity.packages == ["com.example.shop"])
        #expect(section.identity.signers == [try #require(Hex.decode(Self.signer))])
        #expect(section.decoding == .local && section.policy == PlayIntegrityPolicy())
        #expect(section.policy.deviceVerdicts == [.device] && section.policy.appVerdicts == [.playRecognized])
        #expect(section.keys.map(\.fingerprint) == [SHA256.bytes(of: PlayConsole(seed: "new").verificationKey)])
    }

    @Test("reads everything, and key sets in their order")
    func everything() throws {
        let colons = stride(from: 0, to: 64, by: 2).map { Array(Self.signer)[$0..<$0 + 2] }.map { String($0) }
        let section = try section(
            """
            packages: [com.example.shop, com.example.shop2], signers: ["\(colons.joined(separator: ":"))"], mode: local_then_google,
                google: {service_account: account.json, package: com.example.shop},
                keys: [{decryption_key_file: new.decryption, verification_key_file: new.verification},
                       {decryption_key_file: old.decryption, verification_key_file: old.verification}],
                kinds: [standard], max_age: 10m, app_verdicts: [PLAY_RECOGNIZED, UNRECOGNIZED_VERSION],
                device_verdicts: [MEETS_STRONG_INTEGRITY, MEETS_VIRTUAL_INTEGRITY], min_version_code: 7, min_sdk_version: 33,
                signals: {licensing: {UNLICENSED: fail, OTHER: ignore}, play_protect: {HIGH_RISK: fail}, device_recall: {bitFirst: ignore}}
            """)
        #expect(section.identity.signers == [try #require(Hex.decode(Self.signer))])
        #expect(section.decoding == .localThenGoogle && section.keys.count == 2)
        #expect(section.keys.last?.fingerprint == SHA256.bytes(of: PlayConsole(seed: "old").verificationKey))
        let policy = section.policy
        #expect(policy.kinds == [.standard] && policy.maxAgeMilliseconds == 600_000)
        #expect(policy.appVerdicts == [.playRecognized, .unrecognizedVersion] && policy.deviceVerdicts == [.strong, .virtual])
        #expect(policy.minVersionCode == 7 && policy.minSDKVersion == 33)
        #expect(policy.reactions(to: .licensing)["UNLICENSED"] == .fail && policy.reactions(to: .licensing)["OTHER"] == .ignore)
        #expect(policy.reactions(to: .licensing)["UNEVALUATED"] == .warn, "what is left out keeps what is usual")
        #expect(
            policy.reactions(to: .playProtect)["HIGH_RISK"] == .fail
                && policy.reactions(to: .deviceRecall)["bitFirst"] == .ignore)
    }

    @Test("needs no keys where Google opens the tokens")
    func google() throws {
        let section = try section("\(Self.identity), mode: google, google: {service_account: account.json}")
        #expect(section.decoding == .google && section.keys.isEmpty)
    }

    @Test(
        "says what is wrong",
        arguments: [
            ("\(keys)", "\"packages\" is missing"), ("\(keys)", "\"signers\" is missing"), ("\(identity)", "want \"keys\""),
            ("\(identity), mode: local_then_google", "want \"keys\""), ("\(identity), keys: []", "an empty list"),
            ("\(identity), \(keys), mode: google", "of no use"),
            ("\(identity), \(keys), mode: goggle", "did you mean \"google\""),
            ("packages: [shop], signers: [\"\(signer)\"], \(keys)", "com.example.app"),
            ("packages: [com.exämple.shop], signers: [\"\(signer)\"], \(keys)", "com.example.app"),
            ("packages: [com..shop], signers: [\"\(signer)\"], \(keys)", "com.example.app"),
            ("packages: [], signers: [\"\(signer)\"], \(keys)", "an empty list"),
            ("packages: [com.example.shop], signers: [\"00\"], \(keys)", "64 digits"),
            ("packages: [com.example.shop], signers: [\"\(signer.dropFirst())\"], \(keys)", "64 digits"),
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

    @Test("takes no key that others may read, that is a link, or that is no text of a key")
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

    @Test("never shows a secret, and tells key sets apart")
    func secrecy() throws {
        let configuration = try parse("\(Self.identity), \(Self.keys)")
        let summary = configuration.summary.joined(separator: "\n")
        #expect(summary.contains("com.example.shop") && summary.contains("local, keys"))
        let secret = PlayConsole(seed: "new").decryptionKey
        for form in [Hex.encode(secret), Base64.standard.encode(secret), Base64.url.encode(secret)] {
            #expect(!summary.contains(form))
        }
        // The same text over other keys: another configuration, and another policy.
        let before = try #require(configuration.apps.first).policyDigest(testRoots: [])
        try write(PlayConsole(seed: "newer"), "new")
        let exchanged = try parse("\(Self.identity), \(Self.keys)")
        #expect(exchanged.digest != configuration.digest)
        #expect(try #require(exchanged.apps.first).policyDigest(testRoots: []) != before)
    }

    @Test(
        "has another policy digest for whatever bears on a verdict",
        arguments: [
            "max_age: 6m", "kinds: [classic]", "mode: local_then_google, google: {service_account: account.json}",
            "app_verdicts: [UNRECOGNIZED_VERSION]",
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
