import AppAttest
import AssayCertificates
import AssayCore
import Crypto
import Testing

@Suite("App Attest assertion verifier")
struct AssertionVerifierTests {
    static let identity = AppAttestIdentity(appID: "PREFIX.example.app", platform: .iOS)
    /// {"apple_validation_category_01": h'04000000'}
    static let category4 = [0xA1, 0x78, 0x1C] + Array("apple_validation_category_01".utf8) + [0x44, 4, 0, 0, 0]

    static func verifier(
        _ identities: [AppAttestIdentity] = [identity], anchors: [TrustAnchor] = TrustAnchor.appAttest,
        policy: AppAttestPolicy = AppAttestPolicy()
    ) -> AppAttestAssertionVerifier {
        AppAttestAssertionVerifier(identities: identities, anchors: anchors, policy: policy)
    }

    func expect(
        _ code: ReasonCode?, _ sample: SampleAssertion, _ device: Device?, body: [UInt8]? = nil,
        verifier: AppAttestAssertionVerifier = verifier(), location: SourceLocation = #_sourceLocation
    ) throws {
        let appraisal = verifier.appraise(try sample.evidence(body), in: sample.context(device))
        #expect(appraisal.failure?.code == code?.rawValue, sourceLocation: location)
    }

    @Test("A registered key's assertion is accepted, and advances the counter")
    func accepts() throws {
        let sample = SampleAssertion()
        let device = try #require(try sample.device())
        let appraisal = Self.verifier().appraise(try sample.evidence(), in: sample.context(device))
        #expect(appraisal.failure == nil && appraisal.assurance == .secureElement && !appraisal.simulated)
        #expect(appraisal.claims.text("app_id") == "PREFIX.example.app")
        #expect(appraisal.claims.text("environment") == "production")
        guard case .advance(device.id, counter: 1, rule: .window64) = appraisal.effect else {
            Issue.record("wrong effect \(appraisal.effect)")
            return
        }
        let names = appraisal.findings.filter { $0.outcome == .pass }.map(\.check)
        #expect(
            names == [
                "size", "cbor", "device", "auth_data", "signature_form", "signature", "app_id", "environment", "chain_anchor",
                "counter", "extensions",
            ])
        #expect(appraisal.findings.filter { $0.code == "not_reported" }.count == 2)
    }

    @Test("Only a device registered by App Attest under this key is accepted")
    func unknownDevices() throws {
        let (sample, other) = (SampleAssertion(), SampleAssertion())
        try expect(.unknownDevice, sample, nil)
        try expect(.unknownDevice, sample, try other.device())
        try expect(.unknownDevice, sample, try sample.device(format: EvidenceFormat(rawValue: "key-attestation.chain")))
        #expect(try Self.verifier().locate(try sample.evidence()) == .device(keyID: sample.keyID))
    }

    @Test("A registered device is appraised under today's identities, environments and anchors")
    func today() throws {
        let sample = SampleAssertion()
        try expect(.appIDMismatch, sample, try sample.device(), verifier: Self.verifier([]))
        let other = AppAttestIdentity(appID: "PREFIX.example.other", platform: .iOS)
        try expect(.appIDMismatch, sample, try sample.device(), verifier: Self.verifier([other]))
        // Another allowed app of the same service is not enough: it must be the one of the registration.
        try expect(
            .appIDMismatch, sample, try sample.device(rpIDHash: other.rpIDHash),
            verifier: Self.verifier([Self.identity, other]))
        try expect(.appIDMismatch, sample, try sample.device(rpIDHash: []))
        let mac = AppAttestIdentity(appID: "PREFIX.example.app", platform: .macOS)
        try expect(.appIDMismatch, sample, try sample.device(), verifier: Self.verifier([mac]))
        try expect(.environmentMismatch, sample, try sample.device(environment: "development"))
        try expect(.environmentMismatch, sample, try sample.device(environment: ""))
        try expect(.untrustedRoot, sample, try sample.device(anchor: [UInt8](repeating: 0, count: 32)))
        try expect(.untrustedRoot, sample, try sample.device(), verifier: Self.verifier(anchors: []))
    }

    @Test("An assertion of a simulated registration is simulated")
    func simulated() throws {
        let sample = SampleAssertion()
        let appraisal = Self.verifier().appraise(try sample.evidence(), in: sample.context(try sample.device(simulated: true)))
        #expect(appraisal.failure == nil && appraisal.simulated)
    }

    @Test("A prehashed nonce, the concatenation and a raw signature are refused")
    func signatures() throws {
        let sample = SampleAssertion()
        let data = sample.authenticatorData
        let nonce = SHA256.hash(data: data + sample.clientDataHash)
        let once = Array(try sample.key.signature(for: nonce).derRepresentation)
        try expect(.badSignature, sample, try sample.device(), body: SampleAssertion.object(once, data))
        let right = try sample.signature(over: data)
        try expect(nil, sample, try sample.device(), body: SampleAssertion.object(right, data))
        let raw = Array(try P256.Signing.ECDSASignature(derRepresentation: right).rawRepresentation)
        try expect(.badSignature, sample, try sample.device(), body: SampleAssertion.object(raw, data))
        try expect(.badSignature, sample, try sample.device(), body: SampleAssertion.object(right + [0], data))
        try expect(.badSignature, sample, try sample.device(), body: SampleAssertion.object([], data))
    }

    @Test("The counter advances by the app's rule")
    func counters() throws {
        var sample = SampleAssertion()
        sample.counter = 5
        let strict = Self.verifier(policy: AppAttestPolicy(counterRule: .strictlyIncreasing))
        try expect(.counterNotIncreasing, sample, try sample.device(counter: 5), verifier: strict)
        try expect(.counterNotIncreasing, sample, try sample.device(counter: 6), verifier: strict)
        // The default rule.
        try expect(.counterNotIncreasing, sample, try sample.device(counter: 5))
        try expect(nil, sample, try sample.device(counter: 6))
        try expect(.counterTooOld, sample, try sample.device(counter: 70))
    }

    @Test("The registered category counts if an assertion reports none and the registration's was authenticated")
    func categories() throws {
        var sample = SampleAssertion()
        var registered = Claims()
        registered.add("validation_category", .integer(4))
        let strict = Self.verifier(policy: AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true))
        try expect(.categoryMissing, sample, try sample.device(), verifier: strict)
        try expect(.categoryMissing, sample, try sample.device(claims: registered), verifier: strict)
        for (name, value) in [("receipt_verified", Claims.Value.boolean(true)), ("flags", .integer(0xC0))] {
            var vouched = registered
            vouched.add(name, value)
            try expect(nil, sample, try sample.device(claims: vouched), verifier: strict)
        }
        for (name, value) in [("receipt_verified", Claims.Value.boolean(false)), ("flags", .integer(0x40))] {
            var unvouched = registered
            unvouched.add(name, value)
            try expect(.categoryMissing, sample, try sample.device(claims: unvouched), verifier: strict)
        }
        let testFlight = Self.verifier(policy: AppAttestPolicy(allowedValidationCategories: [2]))
        try expect(.categoryNotAllowed, sample, try sample.device(claims: registered), verifier: testFlight)
        try expect(nil, sample, try sample.device(), verifier: testFlight)
        sample.extensions = Self.category4
        try expect(.categoryMissing, sample, try sample.device(), verifier: strict)
        sample.flags = 0xC0
        try expect(nil, sample, try sample.device(), verifier: strict)
        try expect(.categoryNotAllowed, sample, try sample.device(), verifier: testFlight)
        let versions = Self.verifier(policy: AppAttestPolicy(allowedBundleVersions: ["1"], requireExtensions: true))
        try expect(.bundleVersionNotAllowed, sample, try sample.device(), verifier: versions)
        try expect(
            nil, sample, try sample.device(), verifier: Self.verifier(policy: AppAttestPolicy(allowedBundleVersions: ["1"])))
    }

    @Test("Evidence that is too large, not CBOR, or cut is refused")
    func shapes() throws {
        let sample = SampleAssertion()
        let device = try sample.device()
        try expect(.evidenceTooLarge, sample, device, body: [UInt8](repeating: 0, count: 4097))
        try expect(.malformedCBOR, sample, device, body: [])
        try expect(.malformedCBOR, sample, device, body: [0xA0])
        let good = try sample.evidence().body
        for length in good.indices { try expect(.malformedCBOR, sample, device, body: Array(good.prefix(length))) }
        for length in 0..<37 {
            let data = Array(sample.authenticatorData.prefix(length))
            let body = SampleAssertion.object(try sample.signature(over: data), data)
            try expect(.malformedAuthData, sample, device, body: body)
        }
    }
}
