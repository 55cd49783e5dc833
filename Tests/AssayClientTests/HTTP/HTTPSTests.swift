import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayHTTPClient

@Suite("Address of HTTP", .timeLimit(.minutes(30)))
struct HTTPSTests {
    private static let status = TestHTTPSAnswer.message(Assay_V1_StatusResponse.with { $0.version = "7" })

    /// The files of a server's authority and of a client's, in a folder that is removed at the end.
    private final class Files {
        let folder = NSTemporaryDirectory() + "assay-https-\(UInt64.random(in: 0..<(.max)))/"
        let serverCA: TestTLSAuthority
        let clientCA: TestTLSAuthority

        init() throws {
            (serverCA, clientCA) = (try TestTLSAuthority("server CA"), try TestTLSAuthority("client CA"))
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let client = try clientCA.issue(.client, names: [.dns("uploads.example")])
            for (name, text) in [
                ("server-ca.pem", serverCA.pem), ("client-ca.pem", clientCA.pem), ("client.pem", client.certificate),
                ("client.key", client.privateKey), ("api.key", "assay_" + String(repeating: "k", count: 43)),
            ] { try text.write(toFile: folder + name, atomically: true, encoding: .utf8) }
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func path(_ name: String) -> String { folder + name }

        /// Runs a server with a certificate of one name around `body`.
        func serve(
            _ name: String, asking: Bool = false, _ body: (ConnectServer) async throws -> Void
        ) async throws {
            try await serve([.dns(name)], asking: asking, body)
        }

        func serve(
            _ names: [SubjectAlternativeName], asking: Bool = false, _ body: (ConnectServer) async throws -> Void
        ) async throws {
            let issued = try serverCA.issue(.server, names: names)
            let server = try await TestHTTPSServer(
                certificate: issued.certificate, privateKey: issued.privateKey, clientAuthority: asking ? clientCA.pem : nil,
                answer: ConnectServer.onlyCalls { _ in HTTPSTests.status })
            try await ConnectServer(http: server).use(body)
        }
    }

    private func call(_ address: String, _ credentials: ClientCredentials?, key: ClientKey? = nil) async throws -> AssayError? {
        let client = try AssayClient(
            address: address, credentials: credentials, key: key, options: ClientOptions(retry: .once))
        do throws(AssayError) {
            _ = try await client.status()
            await client.close()
            return nil
        } catch {
            await client.close()
            return error
        }
    }

    @Test("The server's certificate comes from the named CA and has the host's name, or the name that is given")
    func certificate() async throws {
        let files = try Files()
        let trusted = try ClientCredentials(authorities: files.path("server-ca.pem"))
        let others = try ClientCredentials(authorities: files.path("client-ca.pem"))
        try await files.serve("localhost") { server in
            let address = server.http.address
            let success = try await call(address, trusted)
            #expect(success == nil)
            for (credentials, words) in [(others, "not from a CA that is trusted"), (nil, "not from a CA that is trusted")] {
                let error = try await call(address, credentials)
                #expect(error?.code == .unavailable && error?.reason == "connect_failed", "\(error as Any)")
                #expect(error?.message.contains(words) == true, "\(error as Any)")
            }
        }
        try await files.serve("assay.test") { server in
            let error = try await call(server.http.address, trusted)
            #expect(error?.reason == "connect_failed" && error?.message.contains("name") == true, "\(error as Any)")
            let named = try ClientCredentials(authorities: files.path("server-ca.pem"), serverName: "assay.test")
            let success = try await call(server.http.address, named)
            #expect(success == nil)
            let bad = try ClientCredentials(authorities: files.path("server-ca.pem"), serverName: "a/b")
            let refused = try await call(server.http.address, bad)
            #expect(refused?.reason == "connect_failed")
        }
    }

    @Test("A certificate with the server's IP address is one for the address alone, and for no name")
    func addressForName() async throws {
        let files = try Files()
        let trusted = try ClientCredentials(authorities: files.path("server-ca.pem"))
        let named = try ClientCredentials(authorities: files.path("server-ca.pem"), serverName: "localhost.test")
        for names in [
            [SubjectAlternativeName.ipAddress([127, 0, 0, 1])], [.ipAddress([127, 0, 0, 1]), .dns("elsewhere.example")],
        ] {
            try await files.serve(names) { server in
                let byAddress = server.http.address.replacing("localhost", with: "127.0.0.1")
                for (address, credentials) in [
                    (server.http.address, trusted), (server.http.address, named), (byAddress, named),
                ] {
                    let error = try await call(address, credentials)
                    #expect(error?.code == .unavailable && error?.reason == "connect_failed", "\(error as Any)")
                    #expect(error?.message.contains("does not have the name") == true, "\(error as Any)")
                }
                #expect(server.http.requests.isEmpty, "nothing was sent to it")
                let success = try await call(byAddress, trusted)
                #expect(success == nil)
            }
        }
    }

    @Test("A wildcard of the server's certificate stands for the first label of the name")
    func wildcard() async throws {
        let files = try Files()
        try await files.serve("*.assay.test") { server in
            for (name, isGood) in [("eu.assay.test", true), ("assay.test", false), ("a.eu.assay.test", false)] {
                let credentials = try ClientCredentials(authorities: files.path("server-ca.pem"), serverName: name)
                let error = try await call(server.http.address, credentials)
                #expect((error == nil) == isGood, "\(name): \(error as Any)")
            }
        }
    }

    @Test("A certificate is shown to a server that asks for one")
    func shown() async throws {
        let files = try Files()
        try await files.serve("localhost", asking: true) { server in
            let shown = try ClientCredentials(
                authorities: files.path("server-ca.pem"), certificate: files.path("client.pem"),
                privateKey: files.path("client.key"))
            let success = try await call(server.http.address, shown)
            #expect(success == nil)
            let error = try await call(server.http.address, try ClientCredentials(authorities: files.path("server-ca.pem")))
            #expect(error?.code == .unavailable && error?.reason == "connect_failed", "\(error as Any)")
        }
    }

    @Test("The files of credentials without CAs are read when they are named")
    func files() throws {
        let files = try Files()
        _ = try ClientCredentials.trustingTheMachine()
        _ = try ClientCredentials.trustingTheMachine(identity: (files.path("client.pem"), files.path("client.key")))
        for (certificate, key, named) in [
            ("client.pem", "client-ca.pem", "client-ca.pem"), ("nothing.pem", "client.key", "nothing.pem"),
            ("client.key", "client.key", "client.key"),
        ] {
            let error = #expect(throws: AssayError.self) {
                try ClientCredentials.trustingTheMachine(identity: (files.path(certificate), files.path(key)))
            }
            #expect(
                error?.reason == "bad_credentials" && error?.message.hasPrefix(files.path(named)) == true, "\(error as Any)")
        }
    }

    @Test("An API key is sent over TLS and to a Unix socket, and not where others can read it")
    func key() async throws {
        let files = try Files()
        let key = try ClientKey(file: files.path("api.key"))
        let bearer = "Bearer assay_" + String(repeating: "k", count: 43)
        try await files.serve("localhost") { server in
            let success = try await call(
                server.http.address, try ClientCredentials(authorities: files.path("server-ca.pem")), key: key)
            #expect(success == nil && server.calls.first?.header("authorization") == bearer)
            #expect(server.http.requests.first?.header("authorization") == nil, "the question before has no credential")
        }
        let error = #expect(throws: AssayError.self) { try AssayClient(address: "http://127.0.0.1:1", key: key) }
        #expect(error?.reason == "key_without_tls")

        let socket = files.path("assay socket.sock")
        let server = try await TestHTTPSServer.plain(socket: socket, answer: ConnectServer.onlyCalls { _ in Self.status })
        try await ConnectServer(http: server).use { server in
            let success = try await call("http+unix:" + socket, nil, key: key)
            #expect(success == nil && server.calls.first?.header("authorization") == bearer)
            #expect(server.calls.first?.header("host") == "localhost")
        }
        let gone = try await call("http+unix:" + files.path("none.sock"), nil)
        #expect(gone?.reason == "connect_failed" && gone?.message.contains("no such socket") == true, "\(gone as Any)")
    }

    @Test(
        "An address is written with its port",
        arguments: [
            ("https://assay.example", "https://assay.example:443"), ("http://127.0.0.1", "http://127.0.0.1:80"),
            ("https://assay.example:7443/", "https://assay.example:7443"), ("http://[::1]:80", "http://[::1]:80"),
            ("https://[2001:db8::1]", "https://[2001:db8::1]:443"), ("https://a.b/x/y//", "https://a.b:443/x/y"),
            ("http+unix:/run/a b.sock", "http+unix:/run/a b.sock"),
        ])
    func address(_ text: String, _ shown: String) throws {
        let address = try #require(HTTPAddress(parsing: text))
        #expect("\(address)" == shown)
        #expect(HTTPAddress(parsing: shown) == address)
    }

    @Test(
        "Other texts are no addresses of HTTP",
        arguments: [
            "", "https:", "https://", "https:///x", "http://host:", "http://host:99999", "http://user@host", "http://host?x",
            "http://host/?x", "http://host/#x", "http://host/a b", "http://::1", "http://[::1", "http://[host]:1",
            "http://[::1]1",
            "http+unix:", "http+unix:a.sock", "http+unix:/", "HTTPS://host", "https://hö", "tls:host:1", "host:1",
        ])
    func noAddress(_ text: String) { #expect(HTTPAddress(parsing: text) == nil) }
}
