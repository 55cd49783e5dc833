import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@testable import AndroidKeyAttestation

@Suite("Android policy")
struct PolicyTests {
    static let now = Timestamp(unixSeconds: 1_709_294_400)  // 2024-03-01
    static let app = AndroidApp(packageName: "com.example.photos", signers: [SampleDescription.signer])

    /// A case: the changes to description and policy, and the expected outcome.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let code: ReasonCode?
        var provisioning = ChainClass.factory
        var count: UInt64?
        let change: @Sendable (inout SampleDescription, inout AndroidPolicy) -> Void
        var testDescription: String { name }

        init(
            _ name: String, _ code: ReasonCode?, _ provisioning: ChainClass = .factory, count: UInt64? = nil,
            _ change: @escaping @Sendable (inout SampleDescription, inout AndroidPolicy) -> Void
        ) {
            (self.name, self.code, self.provisioning, self.count, self.change) = (name, code, provisioning, count, change)
        }
    }

    static func judge(_ test: Case, now: Timestamp = now) throws -> Appraisal {
        var (sample, policy) = (SampleDescription(), AndroidPolicy(apps: [app]))
        test.change(&sample, &policy)
        let facts = try sample.facts(test.provisioning, count: test.count)
        return Appraisal.build(.keyAttestation) { appraisal throws(Rejection) in
            try policy.judgeLevel(facts, in: &appraisal)
            try policy.judge(facts, at: now, in: &appraisal)
            try policy.judgeCreation(facts, at: now, in: &appraisal)
        }
    }

    @Test("Each case of the policy gets its code", arguments: levels + boot + keys + apps + patches + properties + provisioning)
    func cases(_ test: Case) throws {
        let appraisal = try Self.judge(test)
        #expect(appraisal.failure?.code == test.code?.rawValue, "\(appraisal.failure?.detail ?? "")")
    }

    static let levels: [Case] = [
        Case("genuine", nil) { _, _ in },
        Case("software key", .softwareLevel) { sample, _ in sample.keyMintLevel = SampleDescription.enumerated(0) },
        Case("attested by software", .softwareLevel) { sample, _ in sample.attestationLevel = SampleDescription.enumerated(0) },
        Case("TEE where StrongBox is wanted", .securityLevelTooLow) { _, policy in policy.minimumLevel = .strongBox },
    ]

    static func root(_ state: UInt8, locked: UInt8 = 0xFF, key: [UInt8] = SampleDescription.bootKey) -> [UInt8] {
        SampleDescription.rootOfTrust(locked: [0x01, 0x01, locked], state: state, key: key)
    }

    static let boot: [Case] = [
        Case("no root of trust", .rootOfTrustMissing) { sample, _ in sample.setHardware(704, nil) },
        Case("root of trust of software alone", .rootOfTrustMissing) { sample, _ in
            sample.setHardware(704, nil)
            sample.setSoftware(704, root(0))
        },
        Case("unlocked, though verified", .bootloaderUnlocked) { sample, _ in sample.setHardware(704, root(0, locked: 0)) },
        Case("unlocked, allowed", nil) { sample, policy in
            sample.setHardware(704, root(2, locked: 0))
            policy.boot = BootRule(states: [.verified, .unverified], requiresLocked: false)
        },
        Case("unverified", .bootState) { sample, _ in sample.setHardware(704, root(2)) },
        Case("failed", .bootState) { sample, _ in sample.setHardware(704, root(3)) },
        Case("another system", .bootState) { sample, _ in sample.setHardware(704, root(1)) },
        Case("another system, its key on the list", nil) { sample, policy in
            sample.setHardware(704, root(1))
            policy.boot = BootRule(states: [.verified, .selfSigned], selfSignedKeys: [SampleDescription.bootKey])
        },
        Case("another system, another key", .bootKey) { sample, policy in
            sample.setHardware(704, root(1, key: [UInt8](repeating: 9, count: 32)))
            policy.boot = BootRule(states: [.verified, .selfSigned], selfSignedKeys: [SampleDescription.bootKey])
        },
        Case("a denied key", .bootKey) { _, policy in policy.boot?.deniedKeys = [SampleDescription.bootKey] },
        Case("zeros as the key, verified", nil) { sample, _ in
            sample.setHardware(704, root(0, key: [UInt8](repeating: 0, count: 32)))
        },
    ]

    static let keys: [Case] = [
        Case("imported", .keyOrigin) { sample, _ in sample.setHardware(702, DERWriter.integer(2)) },
        Case("imported, allowed", nil) { sample, policy in
            sample.setHardware(702, DERWriter.integer(2))
            policy.key.origins = [.generated, .imported]
        },
        Case("no origin", .keyOrigin) { sample, _ in sample.setHardware(702, nil) },
        Case("origin of software alone", .keyOrigin) { sample, _ in
            sample.setHardware(702, nil)
            sample.setSoftware(702, DERWriter.integer(0))
        },
        Case("unknown origin", .keyOrigin) { sample, _ in sample.setHardware(702, DERWriter.integer(9)) },
        Case("not for signing", .keyPurpose) { sample, _ in sample.setHardware(1, DERWriter.set([DERWriter.integer(1)])) },
        Case("purposes of software alone", .keyPurpose) { sample, _ in
            sample.setHardware(1, nil)
            sample.setSoftware(1, DERWriter.set([DERWriter.integer(2)]))
        },
        Case("for attesting too", .keyPurpose) { sample, _ in
            sample.setHardware(1, DERWriter.set([DERWriter.integer(2), DERWriter.integer(7)]))
        },
        Case("for all applications", .keyNotAppBound) { sample, _ in sample.setSoftware(600, SampleDescription.null) },
        Case("for all applications, by the hardware", .keyNotAppBound) { sample, _ in
            sample.setHardware(600, SampleDescription.null)
        },
    ]

    static let apps: [Case] = [
        Case("no app", .attestedAppMissing) { sample, _ in sample.setSoftware(709, nil) },
        Case("app of hardware alone", .attestedAppMissing) { sample, _ in
            sample.setSoftware(709, nil)
            sample.setHardware(709, SampleDescription.application(["com.example.photos"]))
        },
        Case("no package", .attestedAppMissing) { sample, _ in sample.setSoftware(709, SampleDescription.application([])) },
        Case("placeholder", .attestedAppUnavailable) { sample, _ in
            sample.setSoftware(709, SampleDescription.application(["UnknownPackage"], signers: []))
        },
        Case("another package", .packageMismatch) { sample, _ in
            sample.setSoftware(709, SampleDescription.application(["com.example.other"]))
        },
        Case("a second, foreign package", .packageMismatch) { sample, _ in
            sample.setSoftware(709, SampleDescription.application(["com.example.other", "com.example.photos"]))
        },
        Case("a second package of the app", nil) { sample, policy in
            sample.setSoftware(709, SampleDescription.application(["com.example.other", "com.example.photos"]))
            policy.apps?.append(AndroidApp(packageName: "com.example.other", signers: [SampleDescription.signer]))
        },
        Case("another signer", .signerMismatch) { sample, _ in
            sample.setSoftware(
                709, SampleDescription.application(["com.example.photos"], signers: [[UInt8](repeating: 4, count: 32)]))
        },
        Case("a second, foreign signer", .signerMismatch) { sample, _ in
            sample.setSoftware(
                709,
                SampleDescription.application(
                    ["com.example.photos"], signers: [SampleDescription.signer, [UInt8](repeating: 0x44, count: 32)]))
        },
        Case("no signer", .signerMismatch) { sample, _ in
            sample.setSoftware(709, SampleDescription.application(["com.example.photos"], signers: []))
        },
        Case("the lowest version", nil) { _, policy in
            policy.apps = [
                AndroidApp(packageName: "com.example.photos", signers: [SampleDescription.signer], minimumVersion: 7)
            ]
        },
        Case("an old version", .appVersion) { _, policy in
            policy.apps = [
                AndroidApp(packageName: "com.example.photos", signers: [SampleDescription.signer], minimumVersion: 8)
            ]
        },
        Case("any app, without a rule", nil) { sample, policy in
            sample.setSoftware(709, nil)
            policy.apps = nil
        },
    ]

    static let patches: [Case] = [
        Case("the lowest system", nil) { _, policy in policy.minimumOSVersion = 140_000 },
        Case("an old system", .osVersion) { _, policy in policy.minimumOSVersion = 150_000 },
        Case("a system without a number", .osVersion) { sample, policy in
            sample.setHardware(705, DERWriter.integer(0))
            policy.minimumOSVersion = 80_000
        },
        Case("the lowest level", nil) { _, policy in policy.patchLevels.os = PatchLevel(202_403).map { .level($0) } },
        Case("an old level", .patchLevelTooOld) { _, policy in policy.patchLevels.os = PatchLevel(202_404).map { .level($0) } },
        Case("no level", .patchLevelTooOld) { sample, policy in
            sample.setHardware(706, nil)
            policy.patchLevels.os = PatchLevel(202_301).map { .level($0) }
        },
        Case("month 13", .patchLevelTooOld) { sample, policy in
            sample.setHardware(706, DERWriter.integer(202_413))
            policy.patchLevels.os = PatchLevel(202_301).map { .level($0) }
        },
        Case("young enough", nil) { _, policy in policy.patchLevels.vendor = .months(0) },
        Case("an old vendor level", .patchLevelTooOld) { sample, policy in
            sample.setHardware(718, DERWriter.integer(20_230_205))
            policy.patchLevels.vendor = .months(12)
        },
        Case("a boot level without a day", nil) { sample, policy in
            sample.setHardware(719, DERWriter.integer(202_303))
            policy.patchLevels.boot = .months(12)
        },
        Case("a vendor level that is none", nil) { sample, policy in
            sample.setHardware(718, DERWriter.integer(5))
            policy.patchLevels.vendor = .months(12)
        },
        Case("a vendor level that is none, refused", .patchLevelTooOld) { sample, policy in
            sample.setHardware(718, DERWriter.integer(5))
            policy.patchLevels.vendor = .months(12)
            policy.patchLevels.refusesUnreadable = true
        },
        Case("a month ahead", nil) { sample, policy in
            sample.setHardware(706, DERWriter.integer(202_404))
            policy.patchLevels.monthsAhead = 1
        },
        Case("two months ahead", .patchLevelInFuture) { sample, policy in
            sample.setHardware(706, DERWriter.integer(202_405))
            policy.patchLevels.monthsAhead = 1
        },
        Case("far ahead, without a rule", nil) { sample, _ in sample.setHardware(706, DERWriter.integer(209_912)) },
    ]

    static let properties: [Case] = [
        Case("usable without its user", .keyProperties) { _, policy in policy.key.authentication = AuthenticationRule() },
        Case("with any authentication", nil) { sample, policy in
            sample.setHardware(503, nil)
            sample.setHardware(504, DERWriter.integer(0xFFFF_FFFF))
            policy.key.authentication = AuthenticationRule()
        },
        Case("with a password where a finger is wanted", .keyProperties) { sample, policy in
            sample.setHardware(503, nil)
            sample.setHardware(504, DERWriter.integer(3))
            policy.key.authentication = AuthenticationRule(methods: [.biometric])
        },
        Case("with an authentication for each use", nil) { sample, policy in
            sample.setHardware(503, nil)
            sample.setHardware(504, DERWriter.integer(2))
            policy.key.authentication = AuthenticationRule(methods: [.biometric], longest: 0)
        },
        Case("with an authentication that lasts", .keyProperties) { sample, policy in
            sample.setHardware(503, nil)
            sample.setHardware(504, DERWriter.integer(2))
            sample.setHardware(505, DERWriter.integer(31))
            policy.key.authentication = AuthenticationRule(longest: 30)
        },
        Case("no rollback resistance", .keyProperties) { _, policy in policy.key.properties = [.rollbackResistance] },
        Case("rollback resistance of old", nil) { sample, policy in
            sample.setHardware(703, SampleDescription.null)
            policy.key.properties = [.rollbackResistance]
        },
        Case("an unlocked device by software's word", .keyProperties) { sample, policy in
            sample.setSoftware(509, SampleDescription.null)
            policy.key.properties = [.unlockedDevice]
        },
        Case("no identifier", .attestedIDMismatch) { _, policy in policy.attestedIDs = [.brand: ["google"]] },
        Case("another identifier", .attestedIDMismatch) { sample, policy in
            sample.setHardware(710, DERWriter.octetString(Array("other".utf8)))
            policy.attestedIDs = [.brand: ["google"]]
        },
        Case("one of the identifiers", nil) { sample, policy in
            sample.setHardware(710, DERWriter.octetString(Array("google".utf8)))
            policy.attestedIDs = [.brand: ["google", "other"]]
        },
        Case("an identifier that only Unicode takes for the expected one", .attestedIDMismatch) { sample, policy in
            sample.setHardware(710, DERWriter.octetString(Array("cafe\u{301}".utf8)))
            policy.attestedIDs = [.brand: ["caf\u{E9}"]]
        },
        Case("an identifier with an accent", nil) { sample, policy in
            sample.setHardware(710, DERWriter.octetString(Array("cafe\u{301}".utf8)))
            policy.attestedIDs = [.brand: ["caf\u{E9}", "cafe\u{301}"]]
        },
        Case("created long ago", .createdOutOfWindow) { _, policy in policy.creationWindow = 300_000 },
        Case("created at an unknown time", .createdOutOfWindow) { sample, policy in
            sample.setSoftware(701, nil)
            policy.creationWindow = 300_000
        },
        Case("created just now", nil) { sample, policy in
            sample.setSoftware(701, DERWriter.integer(UInt64(now.unixMilliseconds - 300_000)))
            policy.creationWindow = 300_000
        },
    ]

    static let provisioning: [Case] = [
        Case("a factory key where a remote one is wanted", .remoteProvisioningRequired) { _, policy in
            policy.provisioning.requiresRemote = true
        },
        Case("an unknown key where a remote one is wanted", .remoteProvisioningRequired, .unknown) { _, policy in
            policy.provisioning.requiresRemote = true
        },
        Case("a remote key", nil, .remote) { _, policy in policy.provisioning.requiresRemote = true },
        Case("many certificates", .provisioningCount, .remote, count: 101) { _, policy in
            policy.provisioning.certificateLimit = 100
        },
        Case("as many certificates as may be", nil, .remote, count: 100) { _, policy in
            policy.provisioning.certificateLimit = 100
        },
        Case("certificates without a count", .provisioningCount, .remote) { _, policy in
            policy.provisioning.certificateLimit = 100
        },
        Case("certificates of the factory", nil) { _, policy in policy.provisioning.certificateLimit = 100 },
    ]

    @Test("A patch level's age grows with the time of the appraisal")
    func age() throws {
        let test = Case("", nil) { _, policy in policy.patchLevels.os = .months(12) }
        #expect(try Self.judge(test).failure == nil)
        let later = Timestamp(unixSeconds: 1_743_465_600)  // 2025-04-01
        #expect(try Self.judge(test, now: later).failure?.code == "patch_level_too_old")
    }

    @Test("An overused attestation key is refused only if the policy says so")
    func overuse() {
        func judge(_ use: AttestationKeyUse?, _ provisioning: ChainClass, refuses: Bool) -> Appraisal {
            Appraisal.build(.keyAttestation) { appraisal throws(Rejection) in
                try RemoteKeyProvisioningRule(refusesOveruse: refuses).judge(use, of: provisioning, in: &appraisal)
            }
        }
        let much = AttestationKeyUse(lastDay: 50)
        #expect(judge(nil, .remote, refuses: true).findings.map(\.outcome) == [.skipped])
        #expect(judge(much, .factory, refuses: true).findings.map(\.outcome) == [.pass])
        #expect(judge(much, .remote, refuses: true).failure?.code == "attestation_key_overused")
        let noted = judge(much, .remote, refuses: false)
        #expect(noted.failure == nil && noted.findings.map(\.code) == ["attestation_key_overused"])
        #expect(judge(AttestationKeyUse(lastDay: 9), .remote, refuses: true).failure == nil)
        #expect(judge(AttestationKeyUse(lastDay: 10), .remote, refuses: true).failure != nil)
    }

    @Test("At level software the software list is read, and a software root limits the level to software")
    func software() throws {
        var sample = SampleDescription()
        let facts = try sample.facts(softwareRoot: true)
        #expect(facts.level == .software && facts.assurance == .software && facts.environment == "software")
        sample.setSoftware(702, DERWriter.integer(2))
        #expect(try sample.facts(softwareRoot: true).trusted.number(.origin) == 2)
        #expect(try sample.facts().trusted.number(.origin) == 0)
        #expect(try sample.facts().assurance == .hardware)
    }

    @Test("An unlocked device, and one without a root of trust, have the assurance of software")
    func assurance() throws {
        var sample = SampleDescription()
        sample.setHardware(704, Self.root(2, locked: 0))
        #expect(try sample.facts().assurance == .software)
        sample.setHardware(704, nil)
        #expect(try sample.facts().assurance == .software)
    }

    @Test("Patch levels are ordered by year and month")
    func patchLevels() {
        for number: UInt64 in [0, 5, 202_400, 202_413, 20_241_301, 2024, 2_024_030, 202_403_051, .max] {
            #expect(PatchLevel(number) == nil, "\(number)")
        }
        #expect(PatchLevel(202_403) == PatchLevel(20_240_305))
        #expect(PatchLevel(20_240_300) == PatchLevel(202_403), "a day of 00 is written by devices")
        #expect(PatchLevel(Self.now) == PatchLevel(202_403))
        #expect(PatchLevel(Timestamp(unixMilliseconds: -1)).year <= 1970)
    }
}
