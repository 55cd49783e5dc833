import AssayCore
import AssayRPC
import AssaySimulator
import Foundation
import Testing

@testable import AssayHost

@Suite("Configuration of TLS", .timeLimit(.minutes(2)))
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
        try folder.write(issued.certificate, to: name + ".pem")
        try folder.write(issued.privateKey, to: name + ".key")
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
        let no = check(listen: "tcp: 0.0.0.0:1", callers: ugly.replacing("true", with: "false"), tls: "")
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
                check(tls: Self.tls.replacing(file, with: "nowhere")) == [place + "nowhere: there is no such file"])
            #expect(check(tls: Self.tls.replacing(file, with: "'.'")) == [place + ".: the file cannot be read"])
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
        try write(authority.issue(.server, names: [], notAfter: future), "server")
        #expect(check().count == 1 && check().first?.contains("server.pem: the certificate expires 2027-01-15") == true)
    }

    @Test("An expired CA is warned of, and refused if no other is left")
    func authorities() throws {
        let old = try TestTLSAuthority("old", notAfter: Self.now.adding(milliseconds: -1000))
        try folder.write(old.pem + authority.pem, to: "ca.pem")
        #expect(check().map { $0.hasSuffix("ca.pem: 1 of 2 CA certificates have expired") } == [true])
        try folder.write(old.pem, to: "ca.pem")
        #expect(check() == ["assayd.yaml:5: tls.client_ca: ca.pem: every CA certificate has expired"])
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
