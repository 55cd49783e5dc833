import AssayCore
import AssayRPC
import AssaySchemes
import AssaySimulator
import Crypto
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Configuration of TLS", .timeLimit(.minutes(30)))
struct TLSConfigurationTests {
    static let now = Timestamp(unixSeconds: 1_800_000_000)
    let folder: TemporaryFolder
    let authority: TestTLSAuthority

    init() throws {
        (folder, authority) = (try TemporaryFolder(), try TestTLSAuthority())
        try folder.write(authority.pem, to: "ca.pem")
        try write(authority.issue(.server, names: [.dns("localhost")]), "server")
    }

    private func write(_ issued: TestTLSAuthority.Issued, _ name: String) throws {
        try write(issued.certificate, issued.privateKey, name)
    }

    private func write(_ certificate: String, _ privateKey: String, _ name: String) throws {
        try folder.write(certificate, to: name + ".pem")
        try folder.write(privateKey + "\n", to: name + ".key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(name + ".key"))
    }

    private static let tls = "tls: {certificate: server.pem, private_key: server.key, client_ca: ca.pem}"
    private static let caller = "{name: far, uri: \"urn:far\", roles: [verify], apps: all}"

    /// The findings of `check-config`: problems, or else warnings.
    private func check(
        listen: String = "tls: 0.0.0.0:7443", callers: String = "known: [\(caller)]", tls: String = tls
    ) -> [String] {
        let text = """
            listen: [{\(listen)}]
            store: {path: ledger.db}
            callers: {\(callers)}
            apps: {photos: {app_attest: {identities: [{app_id: TEAMID1234.a}]}}}
            \(tls)
            """
        do throws(ConfigurationError) {
            return try Configuration.parse(text, file: "assayd.yaml", folder: folder.path, at: Self.now).warnings.map(
                \.description)
        } catch {
            return error.description.split(separator: "\n").map { String($0).replacing(folder.path + "/", with: "") }
        }
    }

    @Test("A valid set-up has no findings")
    func good() {
        #expect(check().isEmpty)
        #expect(check(listen: "tls: \"[::]:7443\"").isEmpty)
        let near = "known: [{name: near, unix_user: 1, roles: [verify], apps: all}]"
        #expect(check(listen: "unix: a.sock", callers: near).isEmpty, "the section may stand there without an address")
    }

    @Test("A listener beyond loopback requires certificates on both sides")
    func beyond() {
        for address in ["0.0.0.0:1", "'[::]:1'", "192.0.2.1:1", "assay.example.org:1"] {
            #expect(check(listen: "tcp: \(address)").first?.contains("listen[0].tcp: it is not on loopback") == true)
        }
        let demo = check(listen: "tcp: 0.0.0.0:1", callers: "loopback_demo: true")
        #expect(demo.first?.contains("it is not on loopback") == true)
        #expect(check(tls: "") == [#"assayd.yaml:1: "tls" is missing: what listens with TLS shows a certificate"#])
        let unix = "known: [{name: near, unix_user: 1, roles: [verify], apps: all}]"
        for callers in [unix, "loopback_demo: true", "i_accept_unauthenticated_callers_from_the_network: true"] {
            #expect(
                check(callers: callers).contains(
                    #"assayd.yaml:1: listen[0].tls: nobody may call over TLS: no caller has a "uri" or a "dns" name"#))
        }
    }

    @Test("An explicit key opens a plain listener to the network, with a warning")
    func ugly() {
        let ugly = "i_accept_unauthenticated_callers_from_the_network: true"
        let found = check(listen: "tcp: 0.0.0.0:1", callers: ugly, tls: "")
        #expect(found.count == 1 && found.first?.hasPrefix("i_accept_unauthenticated_callers_from_the_network:") == true)
        let no = check(
            listen: "tcp: 0.0.0.0:1", callers: "loopback_demo: true, " + ugly.replacing("true", with: "false"), tls: "")
        #expect(no.contains { $0.contains("it is not on loopback") })
    }

    @Test("Errors in the files are found, each at its key")
    func files() throws {
        let (past, future) = (Self.now.adding(milliseconds: -1000), Self.now.adding(milliseconds: 2000))
        #expect(check(tls: "tls: {}").count == 3)
        for key in ["certificate", "private_key", "client_ca"] {
            let file = key == "certificate" ? "server.pem" : key == "private_key" ? "server.key" : "ca.pem"
            let place = "assayd.yaml:5: tls.\(key): "
            #expect(
                check(tls: Self.tls.replacing(file, with: "nowhere")) == [
                    place + "nowhere: the file cannot be read: there is no such file"
                ])
            #expect(check(tls: Self.tls.replacing(file, with: "'.'")) == [place + ".: the file cannot be read: it is a folder"])
            try folder.write("hello", to: "hello.pem")
            #expect(check(tls: Self.tls.replacing(file, with: "hello.pem")).first?.hasPrefix(place + "hello.pem: no ") == true)
            try folder.write("", to: "empty.pem")
            #expect(check(tls: Self.tls.replacing(file, with: "empty.pem")).first?.hasPrefix(place + "empty.pem: ") == true)
        }
        let other = try authority.issue(.server, names: [])
        try folder.write(other.privateKey, to: "other.key")
        #expect(
            check(tls: Self.tls.replacing("server.key", with: "other.key")).first?.hasPrefix(
                "assayd.yaml:5: tls.private_key: other.key: the key is not the certificate's") == true)

        try write(authority.issue(.server, names: [], notAfter: past), "server")
        #expect(
            check().first?.hasPrefix("assayd.yaml:5: tls.certificate: server.pem: the certificate expired 2027-01-15") == true)
        try write(authority.issue(.server, names: [], notBefore: future), "server")
        #expect(check().first?.contains("server.pem: the certificate is valid from 2027-01-15") == true)
        try write(authority.issue(.server, names: [.dns("localhost")], notAfter: future), "server")
        #expect(check().count == 1 && check().first?.contains("server.pem: the certificate expires 2027-01-15") == true)
    }

    @Test("A certificate that ends before it begins is refused, and so is a CA unless another is left")
    func reversed() throws {
        let (start, end) = (Self.now.adding(milliseconds: 86_400_000), Self.now.adding(milliseconds: 3_600_000))
        try write(authority.issue(.server, names: [.dns("localhost")], notBefore: start, notAfter: end), "server")
        #expect(
            check() == [
                "assayd.yaml:5: tls.certificate: server.pem: the certificate ends \(end), before it begins, \(start): it is never valid"
            ])
        try write(authority.issue(.server, names: [.dns("localhost")]), "server")
        let never = try TestTLSAuthority("never", notBefore: start, notAfter: end)
        try folder.write(never.pem + authority.pem, to: "ca.pem")
        #expect(check().map { $0.contains("ca.pem: a CA certificate ends \(end), before it begins") } == [true])
        try folder.write(never.pem, to: "ca.pem")
        #expect(check().map { $0.hasPrefix("assayd.yaml:5: tls.client_ca: ca.pem: a CA certificate ends") } == [true])
    }

    @Test("An expired CA is warned of, and refused if no other is left")
    func authorities() throws {
        let old = try TestTLSAuthority("old", notAfter: Self.now.adding(milliseconds: -1000))
        try folder.write(old.pem + authority.pem, to: "ca.pem")
        #expect(check().map { $0.hasSuffix("ca.pem: 1 of 2 CA certificates have expired") } == [true])
        try folder.write(old.pem, to: "ca.pem")
        #expect(check() == ["assayd.yaml:5: tls.client_ca: ca.pem: every CA certificate has expired"])
    }

    // MARK: What certificates are for

    private static func pem(_ label: String, _ der: [UInt8]) -> String {
        "-----BEGIN \(label)-----\n\(Data(der).base64EncodedString(options: .lineLength64Characters))\n-----END \(label)-----\n"
    }

    /// The purposes as the extension encodes them.
    private static let (serverAuth, anyPurpose) = ("300a06082b06010505070301", "30060604551d2500")

    /// A certificate for `localhost` with that key; without an extended key usage if `purposes` is `nil`.
    private static func certificate(_ publicKey: [UInt8], purposes: String? = nil) throws -> String {
        let name = CertificateBuilder.Name(commonName: "test")
        let usage = try purposes.map {
            CertificateBuilder.Extension(ExtensionName.extendedKeyUsage, try #require(Hex.decode($0)))
        }
        let builder = CertificateBuilder(
            serial: [1], algorithm: .ecdsaWithSHA256, issuer: name, notBefore: TestTLSAuthority.always.notBefore,
            notAfter: TestTLSAuthority.always.notAfter, subject: name, subjectPublicKeyInfo: publicKey,
            extensions: [.subjectAlternativeNames([.dns("localhost")])] + (usage.map { [$0] } ?? []))
        return Self.pem("CERTIFICATE", try builder.signed(by: TestSigningKey(.p256)))
    }

    @Test("A certificate that is not for servers is refused, and so is one in client_ca that is not a CA's")
    func purposes() throws {
        try write(authority.issue(.client, names: [.dns("localhost")]), "server")
        #expect(
            check() == [
                "assayd.yaml:5: tls.certificate: server.pem: the certificate is not for a server: its extended key usage does not "
                    + "have serverAuth, but clientAuth; it may be a caller's"
            ])
        let server = try authority.issue(.server, names: [.dns("localhost")])
        try write(server, "server")
        #expect(check().isEmpty)
        for pem in [server.certificate, authority.pem + server.certificate] {
            try folder.write(pem, to: "ca.pem")
            let found = check()
            #expect(found.count == 1 && found.first?.hasPrefix("assayd.yaml:5: tls.client_ca: ca.pem: the cert") == true)
            #expect(found.first?.hasSuffix(" is not a CA certificate") == true, "\(found)")
        }
        // A CA by its basic constraints is none if its key may not sign certificates.
        let key = TestSigningKey(.p256)
        let name = CertificateBuilder.Name(commonName: "half a CA")
        func certificate(_ extensions: [CertificateBuilder.Extension]) throws -> String {
            let builder = CertificateBuilder(
                serial: [1], algorithm: .ecdsaWithSHA256, issuer: name, notBefore: TestTLSAuthority.always.notBefore,
                notAfter: TestTLSAuthority.always.notAfter, subject: name, subjectPublicKeyInfo: key.subjectPublicKeyInfo,
                extensions: extensions)
            return Self.pem("CERTIFICATE", try builder.signed(by: key))
        }
        try folder.write(certificate([.basicConstraints(ca: true), .keyUsage(.digitalSignature)]), to: "ca.pem")
        #expect(check().first?.hasSuffix("is not a CA certificate: its key usage does not have keyCertSign") == true)
        try folder.write(certificate([]), to: "ca.pem")
        #expect(check().first?.hasSuffix(" is not a CA certificate") == true, "without basic constraints")
        try folder.write(certificate([.basicConstraints(ca: true)]), to: "ca.pem")
        #expect(check().isEmpty, "without a key usage")
    }

    @Test("A certificate that clients refuse for its names, its key or its purpose is warned of")
    func doubts() throws {
        try write(authority.issue(.server, names: []), "server")
        #expect(check().map { $0.contains("the certificate has no subject alternative name") } == [true])

        let p256 = P256.Signing.PrivateKey()
        let publicKey = Array(p256.publicKey.derRepresentation)
        for (purposes, words) in [
            (nil, nil), (Self.serverAuth, nil), (Self.anyPurpose, "anyExtendedKeyUsage in place of serverAuth"),
        ] as [(String?, String?)] {
            try write(Self.certificate(publicKey, purposes: purposes), p256.pemRepresentation, "server")
            let found = check()
            #expect(found.count == (words == nil ? 0 : 1) && found.allSatisfy { $0.contains(words ?? "") }, "\(found)")
        }

        let p521 = P521.Signing.PrivateKey()
        try write(Self.certificate(Array(p521.publicKey.derRepresentation)), p521.pemRepresentation, "server")
        #expect(check().map { $0.contains("the certificate's key is P-521: ") } == [true])

        // RFC 8410, sections 4 and 7.
        let ed25519 = Curve25519.Signing.PrivateKey()
        let spki =
            [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + ed25519.publicKey.rawRepresentation
        let secret =
            [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
            + ed25519.rawRepresentation
        try write(Self.certificate(spki), Self.pem("PRIVATE KEY", secret), "server")
        #expect(check().map { $0.contains("the certificate's key is Ed25519: ") } == [true])
    }

    @Test("A key that every user can read is warned of")
    func openKey() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.file("server.key"))
        #expect(check().map { $0.contains("everyone on this machine can read the private key") } == [true])
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.file("server.key"))
        #expect(check().isEmpty)
    }

    @Test("A certificate's names are returned unchanged")
    func names() throws {
        let issued = try authority.issue(.client, names: [.uri("spiffe://example.org/A"), .dns("A.b"), .dns("*.c")])
        let der = try #require(
            Base64.standard.decode(issued.certificate.split(separator: "\n").dropFirst().dropLast().joined()))
        #expect(try RPCPeerNames(certificate: der) == RPCPeerNames(uris: ["spiffe://example.org/A"], dnsNames: ["A.b", "*.c"]))
        #expect(throws: Rejection(.malformedCertificate, "")) { try RPCPeerNames(certificate: Array(der.dropLast())) }
    }
}
