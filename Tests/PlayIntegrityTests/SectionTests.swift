import AssayCore
import AssaySchemes
import AssaySimulator
import AssayTesting
import AssayVendors
import Foundation
import Testing

@testable import PlayIntegrity

@Suite("The section play_integrity")
struct PlayIntegritySectionTests {
    private static let signer = [UInt8](repeating: 0xAB, count: 32)
    private static let now = Timestamp(unixSeconds: 1_760_000_000)  // October 2025

    /// The section in a YAML text, and what is reported about it. `account.json` and the files of keys stand beside it.
    private func read(_ text: String) throws -> (section: PlayIntegritySection, problems: [String]) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "play-section-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let console = PlayConsole(seed: "shop")
        let files = [
            ("account.json", try CloudAccount().file),
            ("open.key", Array(Base64.standard.encode(console.decryptionKey).utf8)),
            ("verify.key", Array(Base64.standard.encode(console.verificationKey).utf8)),
        ]
        for (name, bytes) in files {
            let path = folder.appending(path: name).path
            try Data(bytes).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let reader = ConfigurationReader(file: "assayd.yaml")
        let top = try reader.open(text)
        let service = VendorServiceAddresses(
            production: try #require(VendorAddress("https://play.example:444")), development: nil)
        let shared = SharedSettings(
            files: ConfigurationFiles(folder: folder.path), appleTeams: AppleTeams(),
            googleOAuth: try #require(VendorAddress("https://oauth.example")),
            services: ["google.play_integrity": service], lists: [:])
        let section = try #require(PlayIntegrityScheme.read(top.value, shared) as? PlayIntegritySection)
        return (section, reader.problems.map(\.message))
    }

    private let google = """
        packages: [com.example.shop]
        signers: ["\(Hex.encode(signer))"]
        mode: google
        google: {service_account: account.json}
        """
    private let local = """
        packages: [com.example.shop, com.example.other]
        signers: ["\(Hex.encode(signer))"]
        keys: [{decryption_key_file: open.key, verification_key_file: verify.key}]
        """

    @Test("A section whose tokens Google decodes names the two services of Google that are asked")
    func services() throws {
        let (section, problems) = try read(google)
        #expect(problems.isEmpty)
        #expect(section.google?.package == "com.example.shop" && section.keys.isEmpty && section.decoding == .google)
        #expect(section.serviceCalls.map(\.address) == ["https://oauth.example", "https://play.example:444"])
        #expect(section.serviceCalls.map(\.purpose.name) == ["google_access", "play_integrity"])
        #expect(section.summary == ["Play Integrity of com.example.shop (google)"])
        #expect(section.contentDigests.isEmpty)
    }

    @Test("Google is asked about tokens only where there is a way to vendors' services")
    func answerSources() throws {
        let section = try read(google).section
        #expect(section.answerSources(SchemeDependencies(testRoots: [])).isEmpty)
        let client = try VendorClient()
        defer { client.close() }
        let access = VendorAccess(
            client: client, teams: [], callLimit: 2,
            clock: SystemClock(), logger: LogBook().logger)
        let sources = section.answerSources(SchemeDependencies(testRoots: [], vendors: access))
        #expect(sources.count == 1 && sources[.playIntegrity] is PlayDecodeClient)
    }

    @Test("A section with keys asks no service, and its keys count in the digest of the configuration")
    func keys() throws {
        let (section, problems) = try read(local)
        #expect(problems.isEmpty && section.serviceCalls.isEmpty)
        let fingerprint = try #require(section.keys.first?.fingerprint)
        #expect(section.contentDigests == [fingerprint])
        #expect(
            section.summary == [
                "Play Integrity of com.example.other, com.example.shop (local, keys \(Hex.encode(fingerprint.prefix(4))))"
            ])
        let verifiers = section.verifiers(SchemeDependencies(testRoots: []))
        #expect(verifiers.map(\.format) == [.playIntegrity])
        #expect(section.evidenceLifetime?.milliseconds == 360_000)
    }

    @Test("The app of a section is its packages with their signers, and an emulator if only emulators have the verdict")
    func identity() throws {
        let section = try read(local).section
        #expect(section.identity?.packages.map(\.name) == ["com.example.other", "com.example.shop"])
        #expect(section.identity?.packages.allSatisfy { $0.signers == [Self.signer] } == true)
        #expect(section.identity?.isEmulator == false)
        #expect(try read(local + "\ndevice_verdicts: [MEETS_VIRTUAL_INTEGRITY]").section.identity?.isEmulator == true)
    }

    @Test(
        "Contradictions are reported at their key",
        arguments: [
            ("mode: google", "\"google\": whose service account asks Google"), ("mode: local", "\"keys\": without them"),
            ("mode: google\ngoogle: {service_account: account.json, package: com.example.none}", "the app has no package"),
            ("mode: google\ngoogle: {service_account: none.json}", "is missing"),
            ("keys: [{decryption_key_file: verify.key, verification_key_file: verify.key}]", "the decryption key has"),
            ("keys: [{decryption_key_file: open.key, verification_key_file: open.key}]", "SubjectPublicKeyInfo"),
        ])
    func mistakes(_ more: String, _ want: String) throws {
        let text = "packages: [com.example.shop]\nsigners: [\"\(Hex.encode(Self.signer))\"]\n"
        #expect(try read(text + more).problems.contains { $0.contains(want) })
    }

    @Test("Rules that no genuine device meets are found at their key")
    func findings() throws {
        let section = try read(
            google + """

                min_version_code: 2100000001
                min_sdk_version: 38
                app_verdicts: [UNRECOGNIZED_VERSION]
                signals: {licensing: {LICENSED: fail}, play_protect: {NO_ISSUES: fail}}
                """
        ).section
        let findings = section.findings(beside: [:], at: Self.now)
        #expect(
            findings.map(\.path) == [
                "play_integrity.min_version_code", "play_integrity.min_sdk_version", "play_integrity.app_verdicts",
                "play_integrity.signals.licensing.LICENSED", "play_integrity.signals.play_protect.NO_ISSUES",
            ])
        #expect(findings.allSatisfy { $0.code == .policyUnmeetable })
        #expect(try read(google + "\nmin_sdk_version: 37").section.findings(beside: [:], at: Self.now).isEmpty)
    }

    // MARK: The policy digest

    private static func keySet(_ seed: String) throws -> PlayKeySet {
        let console = PlayConsole(seed: seed)
        return try #require(PlayKeySet(decryptionKey: console.decryptionKey, verificationKey: console.verificationKey))
    }

    private static func section() throws -> PlayIntegritySection {
        PlayIntegritySection(
            app: PlayIntegrityIdentity(packages: ["com.example.shop"], signers: [signer]), keys: [try keySet("shop")],
            decoding: .localThenGoogle,
            policy: PlayIntegrityPolicy(minVersionCode: 7, minSDKVersion: 33, reactions: [.licensing: ["UNLICENSED": .fail]]))
    }

    private static func digest(_ section: PlayIntegritySection) -> [UInt8] {
        var policy = PolicyText("test")
        section.describe(in: &policy, testRoots: [])
        return policy.digest
    }

    @Test("Each rule of the section moves the policy digest")
    func coverage() throws {
        let base = try Self.section()
        let other = try Self.keySet("other")
        let coverage = DigestCoverage(
            base: base, digest: Self.digest,
            variations: [
                "app.packages": { $0.app = PlayIntegrityIdentity(packages: ["com.example.other"], signers: [Self.signer]) },
                "app.signers": { $0.app = PlayIntegrityIdentity(packages: ["com.example.shop"], signers: [[1]]) },
                "keys": { $0.keys = [] },
                "keys.verificationKey": { $0.keys = [other] },
                "decoding": { $0.decoding = .google },
                "policy.kinds": { $0.policy.kinds = [.classic] },
                "policy.maxAgeMilliseconds": { $0.policy.maxAgeMilliseconds += 1 },
                "policy.appVerdicts": { $0.policy.appVerdicts = [.unrecognizedVersion] },
                "policy.deviceVerdicts": { $0.policy.deviceVerdicts = [.strong] },
                "policy.minVersionCode": { $0.policy.minVersionCode = nil },
                "policy.minSDKVersion": { $0.policy.minSDKVersion = nil },
                "policy.reactions": { $0.policy.reactions = [:] },
            ],
            unrelated: [
                "keys.decryptionKey": "belongs to the verification key, whose fingerprint counts; nothing shows the secret",
                "google": "says who asks Google and where; what Google answers is judged alike",
            ])
        #expect(coverage.problems == [])
    }

    @Test("The policy digest of a section stays as it is")
    func pinned() throws {
        let digest = Hex.encode(Self.digest(try Self.section()))
        #expect(digest == "70414c1c355842145f7d613b3a92992c836e52d52fc70a3302b326e8f0facbb8")
    }
}
