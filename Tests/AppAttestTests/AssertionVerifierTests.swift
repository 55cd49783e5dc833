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
        _ code: ReasonCode?, _ maker: AssertionMaker, _ device: Device?, body: [UInt8]? = nil,
        verifier: AppAttestAssertionVerifier = verifier(), location: SourceLocation = #_sourceLocation
    ) throws {
        let appraisal = verifier.appraise(try maker.evidence(body), in: maker.context(device))
        #expect(appraisal.failure?.code == code?.rawValue, sourceLocation: location)
    }

    @Test("accepts what a registered key signs, and asks for the counter to advance")
    func accepts() throws {
        let maker = AssertionMaker()
        let device = try #require(try maker.device())
        let appraisal = Self.verifier().appraise(try maker.evidence(), in: maker.context(device))
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

    @Test("knows only the device registered by App Attest under this key")
    func unknownDevices() throws {
        let (maker, other) = (AssertionMaker(), AssertionMaker())
        try expect(.unknownDevice, maker, nil)
        try expect(.unknownDevice, maker, try other.device())
        try expect(.unknownDevice, maker, try maker.device(format: EvidenceFormat(rawValue: "key-attestation.chain")))
        #expect(try Self.verifier().locate(try maker.evidence()) == .device(keyID: maker.keyID))
    }

    @Test("judges a registered device by today's identities, environments and anchors")
    func today() throws {
        let maker = AssertionMaker()
        try expect(.appIDMismatch, maker, try maker.device(), verifier: Self.verifier([]))
        let other = AppAttestIdentity(appID: "PREFIX.example.other", platform: .iOS)
        try expect(.appIDMismatch, maker, try maker.device(), verifier: Self.verifier([other]))
        // Another allowed app of the same service does not do: it must be the one of the registration.
        try expect(
            .appIDMismatch, maker, try maker.device(rpIDHash: other.rpIDHash), verifier: Self.verifier([Self.identity, other]))
        try expect(.appIDMismatch, maker, try maker.device(rpIDHash: []))
        let mac = AppAttestIdentity(appID: "PREFIX.example.app", platform: .macOS)
        try expect(.appIDMismatch, maker, try maker.device(), verifier: Self.verifier([mac]))
        try expect(.environmentMismatch, maker, try maker.device(environment: "development"))
        try expect(.environmentMismatch, maker, try maker.device(environment: ""))
        try expect(.untrustedRoot, maker, try maker.device(anchor: [UInt8](repeating: 0, count: 32)))
        try expect(.untrustedRoot, maker, try maker.device(), verifier: Self.verifier(anchors: []))
    }

    @Test("is simulated for ever if the registration was")
    func simulated() throws {
        let maker = AssertionMaker()
        let appraisal = Self.verifier().appraise(try maker.evidence(), in: maker.context(try maker.device(simulated: true)))
        #expect(appraisal.failure == nil && appraisal.simulated)
    }

    @Test("refuses a prehashed nonce, the concatenation and raw signatures")
    func signatures() throws {
        let maker = AssertionMaker()
        let data = maker.authenticatorData
        let nonce = SHA256.hash(data: data + maker.clientDataHash)
        let once = Array(try maker.key.signature(for: nonce).derRepresentation)
        try expect(.badSignature, maker, try maker.device(), body: AssertionMaker.object(once, data))
        let right = try maker.signature(over: data)
        try expect(nil, maker, try maker.device(), body: AssertionMaker.object(right, data))
        let raw = Array(try P256.Signing.ECDSASignature(derRepresentation: right).rawRepresentation)
        try expect(.badSignature, maker, try maker.device(), body: AssertionMaker.object(raw, data))
        try expect(.badSignature, maker, try maker.device(), body: AssertionMaker.object(right + [0], data))
        try expect(.badSignature, maker, try maker.device(), body: AssertionMaker.object([], data))
    }

    @Test("moves the counter by the app's rule")
    func counters() throws {
        var maker = AssertionMaker()
        maker.counter = 5
        let strict = Self.verifier(policy: AppAttestPolicy(counterRule: .strictlyIncreasing))
        try expect(.counterNotIncreasing, maker, try maker.device(counter: 5), verifier: strict)
        try expect(.counterNotIncreasing, maker, try maker.device(counter: 6), verifier: strict)
        // What holds where the app says nothing.
        try expect(.counterNotIncreasing, maker, try maker.device(counter: 5))
        try expect(nil, maker, try maker.device(counter: 6))
        try expect(.counterTooOld, maker, try maker.device(counter: 70))
    }

    @Test("lets the registered category count where an assertion reports none and need not")
    func categories() throws {
        var maker = AssertionMaker()
        var registered = Claims()
        registered.add("validation_category", .integer(4))
        let strict = Self.verifier(policy: AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true))
        try expect(.categoryMissing, maker, try maker.device(), verifier: strict)
        // Who demands extensions means those of this assertion.
        try expect(.categoryMissing, maker, try maker.device(claims: registered), verifier: strict)
        let testFlight = Self.verifier(policy: AppAttestPolicy(allowedValidationCategories: [2]))
        try expect(.categoryNotAllowed, maker, try maker.device(claims: registered), verifier: testFlight)
        try expect(nil, maker, try maker.device(), verifier: testFlight)
        maker.extensions = Self.category4
        try expect(nil, maker, try maker.device(), verifier: strict)
        try expect(.categoryNotAllowed, maker, try maker.device(), verifier: testFlight)
        let versions = Self.verifier(policy: AppAttestPolicy(allowedBundleVersions: ["1"], requireExtensions: true))
        try expect(.bundleVersionNotAllowed, maker, try maker.device(), verifier: versions)
        try expect(
            nil, maker, try maker.device(), verifier: Self.verifier(policy: AppAttestPolicy(allowedBundleVersions: ["1"])))
    }

    @Test("refuses what is too large, not CBOR, or cut")
    func shapes() throws {
        let maker = AssertionMaker()
        let device = try maker.device()
        try expect(.evidenceTooLarge, maker, device, body: [UInt8](repeating: 0, count: 4097))
        try expect(.malformedCBOR, maker, device, body: [])
        try expect(.malformedCBOR, maker, device, body: [0xA0])
        let good = try maker.evidence().body
        for length in good.indices { try expect(.malformedCBOR, maker, device, body: Array(good.prefix(length))) }
        for length in 0..<37 {
            let data = Array(maker.authenticatorData.prefix(length))
            let body = AssertionMaker.object(try maker.signature(over: data), data)
            try expect(.malformedAuthData, maker, device, body: body)
        }
    }
}
