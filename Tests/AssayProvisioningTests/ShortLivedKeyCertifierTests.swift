import AssayCertificates
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySigning
import AssayTesting
import Testing

@Suite("Certificates of keys in memory")
struct ShortLivedKeyCertifierTests {
    private static let now = TestCA.now
    private static let subject = "https://assay.example.com"

    private func certifier(_ ca: TestCA) throws -> ShortLivedKeyCertifier {
        try ShortLivedKeyCertifier(ca.issuing.signer, certificates: ca.issuing.chain.certificates, subject: Self.subject)
    }

    private func certify(
        _ ca: TestCA, for lifetime: Int64 = TestCA.day, at now: Timestamp = now
    ) async throws -> Certificate {
        let key = SigningKey.random(.p256).publicKey
        let made = try await certifier(ca).certify(key, for: lifetime, at: now)
        let certificate = try Certificate(der: made.certificate[...])
        #expect(certificate.publicKey.der.elementsEqual(key) && certificate.validity.notAfter == made.notAfter)
        return certificate
    }

    @Test(
        "OpenSSL verifies one under its root for digital signatures, and not as that of a CA",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"), arguments: AuthorityCurve.allCases)
    func verified(_ curve: AuthorityCurve) async throws {
        let openSSL = try OpenSSLFolder()
        let ca = try await TestCA(curve)
        try ca.write(to: openSSL)
        let certificate = try await certify(ca)
        try openSSL.write("leaf.pem", PEM.encode(certificate.der))
        let result = try openSSL.attempt(TestCA.verification("leaf.pem"))
        #expect(result.succeeded, "\(result.text)")
        let later = Self.now.adding(milliseconds: TestCA.day + 1000)
        #expect(try !openSSL.attempt(TestCA.verification("leaf.pem", at: later)).succeeded)
        let shown = try openSSL.attempt(["x509", "-in", "leaf.pem", "-noout", "-text"])
        for words in [Self.subject, "CA:FALSE", "Digital Signature"] {
            #expect(shown.text.contains(words), "\(words): \(shown.text)")
        }
        #expect(!shown.text.contains("Certificate Sign"))
    }

    @Test("The root need not be among the certificates, and each has a number of its own")
    func withoutRoot() async throws {
        let ca = try await TestCA()
        let chain = [ca.issuing.chain.issuer]
        let certifier = try ShortLivedKeyCertifier(ca.issuing.signer, certificates: chain, subject: Self.subject)
        var serials: Set<[UInt8]> = []
        for _ in 0..<100 {
            let made = try await certifier.certify(SigningKey.random(.p256).publicKey, for: TestCA.day, at: Self.now)
            let serial = try Certificate(der: made.certificate[...]).serial
            #expect(serial.count == 16)
            serials.insert(serial)
        }
        #expect(serials.count == 100)
    }

    @Test("A certificate is valid within the validity of the CA, and none is made outside of it")
    func validity() async throws {
        let ca = try await TestCA(validity: 30 * TestCA.day)
        let last = Self.now.adding(milliseconds: 29 * TestCA.day)
        let usual = try await certify(ca, at: last.adding(milliseconds: -TestCA.day))
        #expect(usual.validity.notBefore == last.adding(milliseconds: -TestCA.day - 300_000))
        #expect(usual.validity.notAfter == last)
        let cut = try await certify(ca, for: 7 * TestCA.day, at: last)
        #expect(cut.validity.notAfter == ca.issuing.chain.validity.notAfter)
        // The CA begins now, so that nothing is dated back.
        let first = try await certify(ca)
        #expect(first.validity.notBefore == Self.now)
        for time in [Self.now.adding(milliseconds: -1), Self.now.adding(milliseconds: 30 * TestCA.day)] {
            await #expect(throws: AuthorityError.self) { try await certify(ca, at: time) }
        }
    }

    @Test("The CA has the key, and a chain without gaps; the name of the certified fits into one")
    func refused() async throws {
        let (ca, other) = (try await TestCA(), try await TestCA())
        func expectRefused(
            _ words: String, _ signer: any Signer, _ chain: [Certificate], _ subject: String = Self.subject,
            _ location: SourceLocation = #_sourceLocation
        ) {
            let error = #expect(throws: AuthorityChainError.self, sourceLocation: location) {
                try ShortLivedKeyCertifier(signer, certificates: chain, subject: subject)
            }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))", sourceLocation: location)
        }
        let (signer, chain) = (ca.issuing.signer, ca.issuing.chain.certificates)
        expectRefused("0 certificates", signer, [])
        expectRefused("is not that of", other.issuing.signer, chain)
        expectRefused("is not that of", signer, [chain[0], other.root.chain.issuer])
        expectRefused("allows fewer CAs below it", signer, [chain[0], chain[0]])
        expectRefused("its common name has 256 characters", signer, chain, String(repeating: "a", count: 256))
        expectRefused("its common name has 0 characters", signer, chain, "")
    }
}
