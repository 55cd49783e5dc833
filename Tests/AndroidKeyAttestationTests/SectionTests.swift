import AssayCertificates
import AssayCore
import AssaySchemes
import AssayTesting
import AssayVendors
import Foundation
import Testing

@testable import AndroidKeyAttestation

@Suite("The section android")
struct AndroidSectionTests {
    private static let signer = String(repeating: "ab", count: 32)
    private static let now = Timestamp(unixSeconds: 1_760_000_000)  // October 2025
    private static let packages = "packages: [{name: com.example.photos, signers: [\"\(signer)\"]}]"

    private let folder = FileManager.default.temporaryDirectory.path

    /// The section of an app's YAML text, and the whole app.
    private func read(
        _ more: String = "", beside other: String = ""
    ) throws -> (section: AndroidKeyAttestationSection, app: ConfigurationReader.Value, reader: ConfigurationReader) {
        let reader = ConfigurationReader(file: "assayd.yaml")
        let lines = (Self.packages + "\n" + more).split(separator: "\n").map { "  \($0)" }
        let app = try reader.open("android:\n" + lines.joined(separator: "\n") + "\n" + other).value
        let list = AndroidKeyAttestationScheme.revocationList
        var setting = RevocationListSetting(list)
        setting.address = try #require(VendorAddress("https://lists.example"))
        let shared = SharedSettings(
            files: ConfigurationFiles(folder: folder), appleTeams: AppleTeams(),
            googleOAuth: try #require(VendorAddress("https://oauth.example")), services: [:], lists: [list.name: setting])
        let section = AndroidKeyAttestationScheme.read(try #require(app.at("android")), shared)
        return (try #require(section as? AndroidKeyAttestationSection), app, reader)
    }

    @Test(
        "Captures that were signed offline are taken only by a section that says how old they may be, with 5 minutes for clocks"
    )
    func offline() throws {
        func rule(_ text: String) throws -> (rule: OfflineRule?, problems: Int) {
            let (section, _, reader) = try read(text)
            #expect(section.deviceAppraisers(SchemeDependencies(testRoots: [])).first?.offline == section.policy.offline)
            return (section.policy.offline, reader.problems.count)
        }
        #expect(try rule("") == (nil, 0))
        #expect(try rule("offline: {max_age: 7d}") == (OfflineRule(maxAge: 7 * 86_400_000, maxFuture: 300_000), 0))
        #expect(try rule("offline: {max_age: 1s, max_future: 0s}") == (OfflineRule(maxAge: 1000, maxFuture: 0), 0))
        #expect(try rule("offline: {max_age: 366d, max_future: 1d}").problems == 0)
        for wrong in [
            "offline: {}", "offline: {max_age: 999ms}", "offline: {max_age: 367d}", "offline: {max_age: 7d, max_future: 2d}",
            "offline: {max_age: 7d, window: 3}", "offline: 7d",
        ] {
            #expect(try rule(wrong).problems > 0, "\(wrong)")
        }
    }

    @Test("A section makes one verifier and one appraiser, and describes its packages")
    func judging() throws {
        let (section, _, reader) = try read()
        let dependencies = SchemeDependencies(testRoots: [])
        #expect(reader.problems.isEmpty)
        #expect(section.verifiers(dependencies).map(\.format) == [.keyAttestation])
        #expect(section.deviceAppraisers(dependencies).map(\.format) == [.keyAttestation])
        #expect(section.summary == ["Android key attestation of com.example.photos"])
        let signer = [UInt8](repeating: 0xAB, count: 32)
        #expect(section.identity == AppIdentity(packages: [.init(name: "com.example.photos", signers: [signer])]))
        #expect(section.requiredTogether.isEmpty && section.evidenceLifetime == nil)
        #expect(try read("creation_window: 5m").section.evidenceLifetime?.milliseconds == 600_000)
        #expect(try read("require_play_integrity: true").section.requiredTogether == [.keyAttestation, .playIntegrity])
    }

    // MARK: Revocation

    private struct List: RevocationSource {
        func knowledge(at now: Timestamp) -> RevocationKnowledge { .notConsulted }
    }

    @Test("Google's list is used unless another source is named, and its service is asked")
    func googleList() throws {
        let section = try read().section
        #expect(section.revocationLists == ["google-attestation-status"] && section.revocationFiles.isEmpty)
        #expect(section.serviceCalls.map(\.address) == ["https://lists.example/attestation/status"])
        #expect(section.serviceCalls.map(\.purpose.name) == ["revocation_list"])
        let lists = SchemeDependencies(testRoots: [], revocationLists: ["google-attestation-status": List()])
        #expect(section.revocationSource(lists) is List)
    }

    @Test("Where Google's list is not fetched, no certificate counts as not revoked")
    func missingList() throws {
        let source = try #require(try read().section.revocationSource(SchemeDependencies(testRoots: [])))
        #expect(source.knowledge(at: Self.now).unavailable == "the list google-attestation-status is not fetched")
    }

    @Test("Without a list there is no source, and no service is asked")
    func noList() throws {
        let section = try read("revocation: {source: none}").section
        #expect(section.revocationSource(SchemeDependencies(testRoots: [])) == nil)
        #expect(section.serviceCalls.isEmpty && section.revocationLists.isEmpty)
    }

    @Test("A file with a list is the source, and its age and its unreadable entries are found")
    func file() throws {
        let path = folder + "/android-section-\(UUID().uuidString).json"
        let list = #"{"entries":{"c35747a084470c3135aeefe2b8d40cd6":{"status":"REVOKED"},"zz":{"status":"REVOKED"}}}"#
        try Data(list.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let section = try read("revocation: {source: file, file: \(path)}").section
        #expect(section.revocationFiles.map(\.path) == [path])
        #expect(section.revocationSource(SchemeDependencies(testRoots: [])) is RevocationFile)
        #expect(section.revocationLists.isEmpty && section.serviceCalls.isEmpty)
        let far = Timestamp(unixSeconds: 4_000_000_000)
        let findings = section.findings(beside: [:], at: far)
        #expect(findings.map(\.code) == [.revocationFile, .revocationEntries])
        #expect(findings.allSatisfy { $0.path == "android.revocation.file" })
    }

    // MARK: Rules between sections

    /// Another platform's section.
    private struct Tokens: SchemeSection {
        let identity: AppIdentity?
        func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier] { [] }
        func describe(in policy: inout PolicyText, testRoots: [TrustAnchor]) {}
    }

    private func tokens(of package: String, by signer: UInt8 = 0xAB, isEmulator: Bool = false) -> [String: any SchemeSection] {
        let signers: Set<[UInt8]> = [[UInt8](repeating: signer, count: 32)]
        let identity = AppIdentity(packages: [.init(name: package, signers: signers)], isEmulator: isEmulator)
        return ["play_integrity": Tokens(identity: identity)]
    }

    @Test("An app that requires tokens has a section for them, with a package in common")
    func together() throws {
        let required = "require_play_integrity: true"
        let other = "play_integrity: {packages: [com.example.other]}"
        let alone = try read(required)
        alone.section.check(beside: AppSections(value: alone.app, sections: [:]))
        #expect(
            alone.reader.problems.map(\.message) == [
                "want \"play_integrity\": the app requires its tokens (android.require_play_integrity)"
            ])
        let apart = try read(required, beside: other)
        apart.section.check(beside: AppSections(value: apart.app, sections: tokens(of: "com.example.other")))
        #expect(apart.reader.problems.map(\.path) == ["play_integrity.packages"])
        let joined = try read(required, beside: other)
        joined.section.check(beside: AppSections(value: joined.app, sections: tokens(of: "com.example.photos")))
        let free = try read()
        free.section.check(beside: AppSections(value: free.app, sections: [:]))
        #expect(joined.reader.problems.isEmpty && free.reader.problems.isEmpty)
    }

    @Test("Tokens that cannot be of the same app or device are found where they are configured")
    func togetherFindings() throws {
        let section = try read("require_play_integrity: true").section
        let package = "com.example.photos"
        #expect(section.findings(beside: tokens(of: package), at: Self.now).isEmpty)
        #expect(section.findings(beside: tokens(of: package, by: 1), at: Self.now).map(\.path) == ["play_integrity.signers"])
        let virtual = tokens(of: package, isEmulator: true)
        #expect(section.findings(beside: virtual, at: Self.now).map(\.path) == ["play_integrity.device_verdicts"])
        #expect(try read().section.findings(beside: virtual, at: Self.now).isEmpty)
    }

    // MARK: What people are told

    @Test(
        "Rules that no genuine device meets are found at their key",
        arguments: [
            ("patch_levels: {os: 203001}", "patch_levels.os"), ("patch_levels: {vendor: 0months}", "patch_levels.vendor"),
            ("patch_levels: {boot: 201001}", "patch_levels.boot"), ("min_os_version: 200000", "min_os_version"),
            ("key: {purposes: [attest_key], forbidden_purposes: []}", "key.purposes"), ("key: {kinds: [ec_p521]}", "key.kinds"),
            ("key: {purposes: [encrypt], forbidden_purposes: [sign]}", "key.forbidden_purposes"),
            ("key: {kinds: [ec_p256, rsa], purposes: [decrypt]}", "key.kinds"),
            ("attested_ids: {imei: [abc, \"490154203237518\"]}", "attested_ids.imei"),
            ("attested_ids: {second_imei: [\"4901542032375\"]}", "attested_ids.second_imei"),
            ("attested_ids: {meid: [A000000000012G]}", "attested_ids.meid"),
        ])
    func findings(_ rule: String, _ path: String) throws {
        #expect(try read(rule).section.findings(beside: [:], at: Self.now).map(\.path) == ["android." + path])
    }

    @Test("Settings for development are warned of")
    func warnings() throws {
        #expect(try read().section.warnings(acceptsSimulated: true).isEmpty)
        let section = try read(
            """
            security_level: software
            trust_software_roots: true
            verified_boot: {allow_unlocked: true, allow_test_keys: [testkey_rsa2048]}
            """
        ).section
        let warnings = section.warnings(acceptsSimulated: false)
        #expect(warnings.map(\.code) == [.softwareRoots, .unlockedDevices, .testKeys])
        #expect(warnings.first?.message.contains("and refused") == true)
        #expect(section.warnings(acceptsSimulated: true).first?.message.contains("refused") == false)
        #expect(section.softwareRoots == TrustAnchor.googleSoftware)
    }

    // MARK: The policy digest

    /// A section with each rule set.
    private static func full() -> AndroidKeyAttestationSection {
        var policy = AndroidPolicy(
            apps: [AndroidApp(packageName: "com.example.photos", signers: [[1]], minimumVersion: 3)],
            minimumLevel: .strongBox,
            boot: BootRule(
                states: [.verified, .selfSigned], selfSignedKeys: [[2]], deniedKeys: [[3]], allowedTestKeys: [.rsa4096]),
            minimumOSVersion: 130_000,
            patchLevels: PatchLevelRules(
                os: .months(12), vendor: .months(13), boot: .months(14), refusesUnreadable: true, monthsAhead: 1),
            attestedIDs: [.brand: ["google"]], creationWindow: 300_000, requiresTagOrder: true,
            requiresEqualVersions: true, allowsSuspended: true,
            denied: DenyList(serials: [[4, 5]], publicKeys: [[6]]))
        policy.key = KeyRule(
            kinds: [.p256], authentication: AuthenticationRule(methods: [.biometric], longest: 30),
            properties: [.unlockedDevice])
        policy.provisioning = RemoteKeyProvisioningRule(requiresRemote: true, certificateLimit: 100, refusesOveruse: true)
        return AndroidKeyAttestationSection(policy: policy, requiresPlayIntegrity: true)
    }

    private static func digest(_ section: AndroidKeyAttestationSection) -> [UInt8] {
        var policy = PolicyText("test")
        section.describe(in: &policy, testRoots: [])
        return policy.digest
    }

    @Test("Each rule of the section moves the policy digest")
    func coverage() {
        let coverage = DigestCoverage(
            base: Self.full(), digest: Self.digest,
            variations: Self.policyVariations.merging(Self.ruleVariations) { first, _ in first }.merging([
                "extraRoots": { $0.extraRoots = Array(TrustAnchor.googleSoftware.prefix(1)) },
                "trustsSoftwareRoots": { $0.trustsSoftwareRoots = true },
                "revocation": { $0.revocation = .none },
                "requiresPlayIntegrity": { $0.requiresPlayIntegrity = false },
            ]) { first, _ in first },
            unrelated: ["listAddress": "the list is Google's wherever it is fetched"])
        #expect(coverage.problems == [])
    }

    private typealias Variations = [String: (inout AndroidKeyAttestationSection) -> Void]

    private static var policyVariations: Variations {
        let name = "com.example.photos"
        return [
            "policy.apps": { $0.policy.apps = [] },
            "policy.apps.packageName": {
                $0.policy.apps = [AndroidApp(packageName: "com.example.other", signers: [[1]], minimumVersion: 3)]
            },
            "policy.apps.signers": { $0.policy.apps = [AndroidApp(packageName: name, signers: [[7]], minimumVersion: 3)] },
            "policy.apps.minimumVersion": { $0.policy.apps = [AndroidApp(packageName: name, signers: [[1]])] },
            "policy.minimumLevel": { $0.policy.minimumLevel = .software },
            "policy.boot": { $0.policy.boot = nil },
            "policy.minimumOSVersion": { $0.policy.minimumOSVersion = nil },
            "policy.attestedIDs": { $0.policy.attestedIDs = [.brand: ["other"]] },
            "policy.creationWindow": { $0.policy.creationWindow = nil },
            "policy.requiresTagOrder": { $0.policy.requiresTagOrder = false },
            "policy.requiresEqualVersions": { $0.policy.requiresEqualVersions = false },
            "policy.allowsSuspended": { $0.policy.allowsSuspended = false },
            "policy.offline": { $0.policy.offline = OfflineRule(maxAge: 86_400_000) },
            "policy.denied.serials": { $0.policy.denied = DenyList(serials: [], publicKeys: [[6]]) },
            "policy.denied.publicKeys": { $0.policy.denied = DenyList(serials: [[4, 5]], publicKeys: []) },
        ]
    }

    private static var ruleVariations: Variations {
        [
            "policy.boot.states": { $0.policy.boot?.states = [.verified] },
            "policy.boot.requiresLocked": { $0.policy.boot?.requiresLocked = false },
            "policy.boot.selfSignedKeys": { $0.policy.boot?.selfSignedKeys = [] },
            "policy.boot.deniedKeys": { $0.policy.boot?.deniedKeys = [] },
            "policy.boot.allowedTestKeys": { $0.policy.boot?.allowedTestKeys = [] },
            "policy.patchLevels.os": { $0.policy.patchLevels.os = nil },
            "policy.patchLevels.vendor": { $0.policy.patchLevels.vendor = .months(1) },
            "policy.patchLevels.boot": { $0.policy.patchLevels.boot = PatchLevel(202_503).map { .level($0) } },
            "policy.patchLevels.refusesUnreadable": { $0.policy.patchLevels.refusesUnreadable = false },
            "policy.patchLevels.monthsAhead": { $0.policy.patchLevels.monthsAhead = nil },
            "policy.key.origins": { $0.policy.key.origins = [.imported] },
            "policy.key.requiredPurposes": { $0.policy.key.requiredPurposes = [] },
            "policy.key.forbiddenPurposes": { $0.policy.key.forbiddenPurposes = [] },
            "policy.key.kinds": { $0.policy.key.kinds = nil },
            "policy.key.authentication": { $0.policy.key.authentication = nil },
            "policy.key.authentication.methods": { $0.policy.key.authentication?.methods = [.password] },
            "policy.key.authentication.longest": { $0.policy.key.authentication?.longest = nil },
            "policy.key.properties": { $0.policy.key.properties = [] },
            "policy.provisioning.requiresRemote": { $0.policy.provisioning.requiresRemote = false },
            "policy.provisioning.certificateLimit": { $0.policy.provisioning.certificateLimit = nil },
            "policy.provisioning.remoteKeyPerDay": { $0.policy.provisioning.remoteKeyPerDay += 1 },
            "policy.provisioning.factoryKeyPerDay": { $0.policy.provisioning.factoryKeyPerDay += 1 },
            "policy.provisioning.refusesOveruse": { $0.policy.provisioning.refusesOveruse = false },
        ]
    }

    @Test("The policy digest of a section stays as it is")
    func pinned() {
        var section = Self.full()
        section.policy.requiresEqualVersions = false
        #expect(Hex.encode(Self.digest(section)) == "0a11e3c7e55da7b04fc99c4be7bd35cad7d5937c774de14e44d61508e7ce381c")
    }
}
