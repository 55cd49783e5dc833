import AppAttest
import AssayCore
import AssaySimulator
import Testing

/// Nothing marks where authenticator data end and the client data hash begins, and the platform lets an app choose a hash of
/// any length. So an app on a system that appends no extensions can pass a map and the true hash as its hash, and send the
/// map as if the system had appended it: the nonce is the same.
@Suite("Extensions that the app wrote itself")
struct AttributionTests {
    static let map: [UInt8] = {
        var map = CBORMap()
        map.append(AuthenticatorDataDraft.validationCategoryKey, AuthenticatorDataDraft.validationCategory(4))
        map.append(AuthenticatorDataDraft.bundleVersionKey, CBORWriter.text("9"))
        map.append("apple_cd_hash_hash_01", CBORWriter.bytes([UInt8](repeating: 1, count: 32)))
        return map.bytes
    }()
    static let attestation = AttestationChanges.genuine.clientDataHash { $0 = map + $0 }.sentAuthenticatorBytes { $0 += map }
    static let assertion = AssertionChanges.genuine.clientDataHash { $0 = map + $0 }.sentAuthenticatorBytes { $0 += map }
    static let believed = ["validation_category", "bundle_version", "cd_hash"]
    static let strict = AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true)

    static func attest(_ osVersion: String, _ changes: AttestationChanges, _ policy: AppAttestPolicy) throws -> Appraisal {
        try AttestationCase(0, "", nil, changes) {
            $0.phone = Minted.phone(osVersion)
            $0.policy = policy
        }.appraise()
    }

    static func assert(_ osVersion: String, _ changes: AssertionChanges, _ policy: AppAttestPolicy) throws -> Appraisal {
        try AssertionCase(0, "", nil, changes) {
            $0.phone = Minted.phone(osVersion)
            $0.policy = policy
        }.appraise()
    }

    static func isNoted(_ appraisal: Appraisal) -> Bool {
        appraisal.findings.contains { $0.code == "unattributed_extensions" }
    }

    @Test("are noted, not claimed, and do not count", arguments: ["14.4", "18.5", "26.1"])
    func notBelieved(_ osVersion: String) throws {
        for appraisal in [
            try Self.attest(osVersion, Self.attestation, AppAttestPolicy(allowedValidationCategories: [4])),
            try Self.assert(osVersion, Self.assertion, AppAttestPolicy(allowedValidationCategories: [4])),
        ] {
            #expect(appraisal.failure == nil && Self.isNoted(appraisal))
            for name in Self.believed { #expect(appraisal.claims[name] == nil) }
            #expect(appraisal.findings.filter { $0.code == "not_reported" }.count == 2)
        }
        let missing = ReasonCode.categoryMissing.rawValue
        #expect(try Self.attest(osVersion, Self.attestation, Self.strict).failure?.code == missing)
        #expect(try Self.assert(osVersion, Self.assertion, Self.strict).failure?.code == missing)
    }

    @Test("speak against the app all the same")
    func against() throws {
        let (category, version) = (ReasonCode.categoryNotAllowed.rawValue, ReasonCode.bundleVersionNotAllowed.rawValue)
        let testFlight = AppAttestPolicy(allowedValidationCategories: [2])
        #expect(try Self.attest("18.5", Self.attestation, testFlight).failure?.code == category)
        #expect(try Self.assert("18.5", Self.assertion, testFlight).failure?.code == category)
        let old = AppAttestPolicy(allowedBundleVersions: ["1"])
        #expect(try Self.attest("18.5", Self.attestation, old).failure?.code == version)
        #expect(try Self.assert("18.5", Self.assertion, old).failure?.code == version)
    }

    @Test("are a map too many where the system appends its own")
    func secondMap() throws {
        let malformed = ReasonCode.malformedAuthData.rawValue
        #expect(try Self.attest("27.0", Self.attestation, AppAttestPolicy()).failure?.code == malformed)
        #expect(try Self.assert("27.0", Self.assertion, AppAttestPolicy()).failure?.code == malformed)
    }

    @Test("cannot be declared: the flag lies where only the device writes")
    func flag() throws {
        let attestation = Self.attestation.sentAuthenticatorBytes { $0[32] |= 0x80 }
        #expect(try Self.attest("18.5", attestation, AppAttestPolicy()).failure?.code == ReasonCode.nonceMismatch.rawValue)
        let assertion = Self.assertion.sentAuthenticatorBytes { $0[32] |= 0x80 }
        #expect(try Self.assert("18.5", assertion, AppAttestPolicy()).failure?.code == ReasonCode.badSignature.rawValue)
    }

    @Test("are told from those of a system that was updated since, by the flag", arguments: [0x40, 0xC0] as [UInt8])
    func updated(_ flags: UInt8) throws {
        let newer = AssertionChanges.genuine.authenticatorData {
            $0.flags = flags
            var map = CBORMap()
            map.append(AuthenticatorDataDraft.validationCategoryKey, AuthenticatorDataDraft.validationCategory(4))
            $0.extensions = map
        }
        let lenient = try Self.assert("18.5", newer, AppAttestPolicy(allowedValidationCategories: [4]))
        #expect(lenient.failure == nil && Self.isNoted(lenient) == (flags == 0x40))
        #expect(lenient.claims.integer("validation_category") == (flags == 0x40 ? nil : 4))
        let strict = try Self.assert("18.5", newer, Self.strict)
        #expect(strict.failure?.code == (flags == 0x40 ? ReasonCode.categoryMissing.rawValue : nil))
    }

    @Test("are not suspected where nothing is known of the system")
    func unknownSystem() throws {
        let nameless = AttestationChanges.genuine.leaf { $0[ExtensionName.applePlatformFacts] = nil }
        let appraisal = try Self.attest("27.0", nameless, Self.strict)
        #expect(appraisal.failure == nil && appraisal.claims["os_version"] == nil && !Self.isNoted(appraisal))
        let odd = AttestationChanges.genuine.leaf {
            $0[ExtensionName.applePlatformFacts] = .init(
                ExtensionName.applePlatformFacts,
                DERWriter.sequence([DERWriter.context(1400, [DERWriter.octetString(Array("next".utf8))])]))
        }
        #expect(try Self.attest("27.0", odd, Self.strict).failure == nil)
    }
}
