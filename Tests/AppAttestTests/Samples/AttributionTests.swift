import AppAttest
import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

/// Nothing separates authenticator data from the client data hash, and the platform lets an app choose a hash of any length. So
/// an app can pass a map and the true hash as its hash, and send the map as if the system had appended it: the nonce is the
/// same. The ED flag distinguishes the two, and the hash that Apple signs in the receipt of an attestation.
@Suite("Extensions written by the app")
struct AttributionTests {
    static let map: [UInt8] = {
        var map = AuthenticatorDataDraft.extensions(category: 4, bundleVersion: "9")
        map.append("apple_cd_hash_hash_01", CBORWriter.bytes([UInt8](repeating: 1, count: 32)))
        return map.bytes
    }()
    static let attestation = AttestationChanges.genuine.forgedExtensions(map)
    static let assertion = AssertionChanges.genuine.forgedExtensions(map)
    static let believed = ["extension_keys", "validation_category", "bundle_version", "cd_hash"]
    static let listed = AppAttestPolicy(allowedValidationCategories: [4])
    static let strict = AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true)
    /// Systems by their certificates; none appends extensions itself, as OS 27 does for an app of an older SDK.
    static let systems = ["14.4", "26.1", "27.0", "28.1", "", "next", nil]

    /// A phone whose system appends no extensions, whatever its version says.
    private static func silent(_ changes: AttestationChanges, _ system: String?) -> AttestationChanges {
        changes.leaf { leaf in
            leaf[ExtensionName.applePlatformFacts] = system.map {
                .init(
                    ExtensionName.applePlatformFacts,
                    DERWriter.sequence([DERWriter.context(1400, [DERWriter.octetString(Array($0.utf8))])]))
            }
        }
    }

    static func attest(
        _ system: String?, _ changes: AttestationChanges, _ policy: AppAttestPolicy, phone: String = "18.5"
    ) throws -> Appraisal {
        try AttestationCase(0, "", nil, silent(changes, system)) {
            $0.phone = Sample.phone(phone)
            $0.policy = policy
        }.appraise()
    }

    /// - Parameter registered: the system according to the registration; absent for an imported device.
    static func assert(
        _ system: String?, _ changes: AssertionChanges, _ policy: AppAttestPolicy, imported: Bool = false
    ) throws -> Appraisal {
        try AssertionCase(0, "", nil, changes) {
            $0.phone = Sample.phone("18.5")
            $0.policy = policy
            $0.policy.acceptImported = imported
            $0.found = { device in
                try? Sample.device(
                    device.registration.with(imported: imported) { claims in
                        claims.removeAll { $0.name == "os_version" || imported && $0.name == "receipt_verified" }
                        if let system, !imported { claims.append(.init(name: "os_version", value: .text(system))) }
                    })
            }
        }.appraise()
    }

    static func isNoted(_ appraisal: Appraisal) -> Bool {
        appraisal.findings.contains { $0.check == "extensions" && $0.code == "extensions_unattributed" && $0.outcome == .note }
    }

    @Test(
        "Extensions written by the app are noted, not claimed, and do not count, whatever the system's version",
        arguments: systems)
    func notBelieved(_ system: String?) throws {
        for appraisal in [
            try Self.attest(system, Self.attestation, Self.listed), try Self.assert(system, Self.assertion, Self.listed),
            try Self.assert(system, Self.assertion, Self.listed, imported: true),
        ] {
            #expect(appraisal.failure == nil && Self.isNoted(appraisal))
            for name in Self.believed { #expect(appraisal.claims[name] == nil) }
            #expect(appraisal.claims["extensions_present"] == .boolean(false))
            #expect(appraisal.findings.filter { $0.code == "not_reported" }.count == 2)
        }
        let missing = ReasonCode.categoryMissing.rawValue
        #expect(try Self.attest(system, Self.attestation, Self.strict).failure?.code == missing)
        #expect(try Self.assert(system, Self.assertion, Self.strict).failure?.code == missing)
        #expect(try Self.assert(system, Self.assertion, Self.strict, imported: true).failure?.code == missing)
    }

    @Test("Extensions written by the app count against it")
    func against() throws {
        let (category, version) = (ReasonCode.categoryNotAllowed.rawValue, ReasonCode.bundleVersionNotAllowed.rawValue)
        let testFlight = AppAttestPolicy(allowedValidationCategories: [2])
        #expect(try Self.attest("18.5", Self.attestation, testFlight).failure?.code == category)
        #expect(try Self.assert("18.5", Self.assertion, testFlight).failure?.code == category)
        let old = AppAttestPolicy(allowedBundleVersions: ["1"])
        #expect(try Self.attest("18.5", Self.attestation, old).failure?.code == version)
        #expect(try Self.assert("18.5", Self.assertion, old).failure?.code == version)
    }

    @Test("Extensions written by the app are a map too many if the system appends its own")
    func secondMap() throws {
        let malformed = ReasonCode.malformedAuthData.rawValue
        #expect(try Self.attest("27.0", Self.attestation, AppAttestPolicy(), phone: "27.0").failure?.code == malformed)
        let assertion = try AssertionCase(0, "", nil, Self.assertion).appraise()
        #expect(assertion.failure?.code == malformed)
    }

    @Test("Extensions written by the app cannot be declared: only the device writes the flag")
    func flag() throws {
        let attestation = Self.attestation.sentAuthenticatorBytes { $0[32] |= 0x80 }
        #expect(try Self.attest("18.5", attestation, AppAttestPolicy()).failure?.code == ReasonCode.nonceMismatch.rawValue)
        let assertion = Self.assertion.sentAuthenticatorBytes { $0[32] |= 0x80 }
        #expect(try Self.assert("18.5", assertion, AppAttestPolicy()).failure?.code == ReasonCode.badSignature.rawValue)
    }

    @Test("The flag distinguishes the system's extensions from the app's", arguments: [0x40, 0xC0] as [UInt8])
    func declared(_ flags: UInt8) throws {
        let (isDeclared, missing) = (flags == 0xC0, ReasonCode.categoryMissing.rawValue)
        let newer = AssertionChanges.genuine.authenticatorData {
            $0.flags = flags
            $0.extensions = AuthenticatorDataDraft.extensions(category: 4, bundleVersion: "1")
        }
        let lenient = try Self.assert("18.5", newer, Self.listed)
        #expect(lenient.failure == nil && Self.isNoted(lenient) == !isDeclared)
        #expect(lenient.claims.integer("validation_category") == (isDeclared ? 4 : nil))
        #expect(try Self.assert("18.5", newer, Self.strict).failure?.code == (isDeclared ? nil : missing))
        // For an attestation whose receipt is not checked.
        let attested = AttestationChanges.genuine.authenticatorData { $0.flags = flags }
        let policy = AppAttestPolicy(
            allowedValidationCategories: [4], requireExtensions: true, receipt: ReceiptRule(mode: .off))
        #expect(try Self.attest("27.0", attested, policy, phone: "27.0").failure?.code == (isDeclared ? nil : missing))
    }

    @Test("A receipt over the expected hash distinguishes the system's extensions from the app's", arguments: systems)
    func receipt(_ system: String?) throws {
        let vouched = try Self.attest(system, .genuine, Self.strict, phone: "27.0")
        #expect(vouched.failure == nil && !Self.isNoted(vouched) && vouched.claims.integer("validation_category") == 4)
        for receipt in [
            ReceiptChanges.genuine.fields { $0[4] = [9] }, .genuine.fields { $0[4] = nil },
            .genuine.fields { $0.set(2, Sample.otherAppID) }, .genuine.fields { $0.set(6, "RECEIPT") },
            .genuine.bytes { $0 = [1, 2, 3] }, .genuine.signer { $0[ExtensionName.appleReceiptSigner] = nil },
        ] {
            let appraisal = try Self.attest(system, .genuine.receipt(receipt), Self.listed, phone: "27.0")
            #expect(appraisal.failure == nil && Self.isNoted(appraisal))
            #expect(appraisal.claims["validation_category"] == nil)
            let strict = try Self.attest(system, .genuine.receipt(receipt), Self.strict, phone: "27.0")
            #expect(strict.failure?.code == ReasonCode.categoryMissing.rawValue)
        }
    }

    @Test("A receipt of another attestation of the key does not authenticate extensions")
    func receiptOfAnotherAttestation() throws {
        // The honest attestation's receipt, beside the forged one.
        var phone = Sample.phone("18.5")
        let key = phone.makeKey()
        let honest = try key.receipt(leaf: nil, clientDataHash: Sample.clientDataHash, at: Sample.now)
        let swapped = Self.attestation.statement { $0["receipt"] = CBORWriter.bytes(honest) }
        let appraisal = try Self.attest("27.0", swapped, Self.listed)
        #expect(appraisal.failure == nil && appraisal.claims["receipt_verified"] == .boolean(true))
        #expect(Self.isNoted(appraisal) && appraisal.claims["validation_category"] == nil)
    }

    @Test("Unattributed extensions count as the system's only in a verifier made for conformance")
    func presumed() throws {
        var phone = Sample.phone("18.5")
        var key = phone.makeKey()
        let attestations = AppAttestAttestationVerifier(
            identities: [Sample.identity()], anchors: try Sample.anchors(), receiptAnchors: [], policy: Self.strict,
            links: LinkCache(), attribution: .presumed)
        let attested = attestations.appraise(
            try Sample.attest(key, changes: Self.attestation), in: Sample.context(nil))
        #expect(attested.failure == nil && attested.claims.integer("validation_category") == 4)
        let device = try Sample.device(try Sample.register(key))
        let assertions = AppAttestAssertionVerifier(
            identities: [Sample.identity()], anchors: try Sample.anchors(), policy: Self.strict, attribution: .presumed)
        let asserted = assertions.appraise(try Sample.assert(&key, changes: Self.assertion), in: Sample.context(device))
        #expect(asserted.failure == nil && asserted.claims.integer("validation_category") == 4)
    }
}
