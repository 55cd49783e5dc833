import AssayCertificates
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssayTesting
import Testing

@Suite("CAs of TLS")
struct TransportAuthorityTests {
    private static let now = TestCA.now

    private func names(_ texts: String...) throws -> [TransportName] { try texts.map { try #require(TransportName($0)) } }

    @Test(
        "certify a daemon for its names, as OpenSSL verifies",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"))
    func server() async throws {
        let authority = try await TransportAuthority(name: "Assay test CA", at: Self.now)
        let server = try await authority.server(try names("assay.example.org", "127.0.0.1", "::1"), at: Self.now)
        let place = try OpenSSLFolder()
        try place.write("root.pem", PEM.encode(authority.certificate))
        try place.write("server.pem", PEM.encode(server.certificate))
        let time = String(Self.now.unixMilliseconds / 1000)
        for name in [["-verify_hostname", "assay.example.org"], ["-verify_ip", "127.0.0.1"], ["-verify_ip", "::1"]] {
            let verified = try place.attempt(
                ["verify", "-x509_strict", "-no-CApath", "-CAfile", "root.pem", "-attime", time, "-purpose", "sslserver"] + name
                    + ["server.pem"])
            #expect(verified.succeeded, "\(verified)")
        }
        let other = try place.attempt(
            ["verify", "-CAfile", "root.pem", "-attime", time, "-verify_hostname", "other.example.org", "server.pem"])
        #expect(!other.succeeded, "\(other)")
    }

    @Test("that were made before certify again, and no longer than they are valid")
    func again() async throws {
        let made = try await TransportAuthority(name: "Assay CA", at: Self.now)
        let same = TransportAuthority(certificate: made.certificate, key: made.key)
        let late = Self.now.adding(milliseconds: TransportAuthority.validity - 86_400_000)
        let certificate = try Certificate(der: try await same.server(try names("localhost"), at: late).certificate[...])
        let authority = try Certificate(der: made.certificate[...])
        #expect(certificate.issuer == authority.subject && certificate.validity.notAfter == authority.validity.notAfter)
        await #expect(throws: AuthorityError.self) {
            try await same.server(try names("localhost"), at: Self.now.adding(milliseconds: TransportAuthority.validity))
        }
        await #expect(throws: AuthorityError.self) { try await same.server([], at: Self.now) }
    }

    @Test("Names are addresses and DNS names")
    func forms() {
        for text in ["localhost", "10.0.0.1", "fe80::1", "a-b.example.org"] { #expect(TransportName(text) != nil, "\(text)") }
        for text in ["", "a b", "ä.example.org", ".example.org", "-a", "*.example.org"] {
            #expect(TransportName(text) == nil, "\(text)")
        }
    }
}
