import AssaySimulator
import Testing

@Suite("Certificate signing requests", .enabled(if: OpenSSL.isAvailable))
struct CertificateRequestTests {
    private func verify(_ request: [UInt8]) throws -> (text: String, succeeded: Bool) {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        return try openssl.run(
            "req", "-inform", "DER", "-in", try openssl.file("request.der", request), "-noout", "-verify", "-subject")
    }

    @Test("OpenSSL verifies a request of a key of each kind", arguments: [TestKey.Kind.p256, .p384, .rsa2048, .ed25519])
    func kinds(_ kind: TestKey.Kind) throws {
        let key = try TestKey(kind)
        let draft = CertificateRequestDraft(key, subject: .init(commonName: "A camera"))
        let (text, succeeded) = try verify(try draft.signed(by: key))
        #expect(succeeded && text.contains("OK") && text.contains("A camera"), "\(text)")
    }

    @Test("OpenSSL refuses a request that another key signed")
    func foreign() throws {
        let draft = CertificateRequestDraft(try TestKey(.p256))
        let (text, _) = try verify(try draft.signed(by: try TestKey(.p256)))
        #expect(!text.contains("OK"), "\(text)")
    }

    @Test("the request of an Android key is for this key")
    func android() throws {
        var device = VirtualAndroid(
            authority: AndroidAuthority(seed: "requests"), application: AttestedApplicationDraft("com.example", signer: [1]))
        let key = try device.makeKey(.p256)
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let file = try openssl.file("request.der", try key.certificateRequest())
        let printed = try openssl.run("req", "-inform", "DER", "-in", file, "-noout", "-verify", "-pubkey")
        let spki = try openssl.file("key.der", key.key.subjectPublicKeyInfo)
        let expected = try openssl.run("pkey", "-pubin", "-inform", "DER", "-in", spki, "-pubout")
        #expect(printed.text.contains("OK") && printed.text.contains(expected.text), "\(printed.text)")
    }
}
