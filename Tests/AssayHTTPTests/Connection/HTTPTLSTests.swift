import AssayListening
import AssayTesting
import Testing

@testable import AssayHTTP
@testable import AssayRPC

@Suite("HTTP over TLS", .timeLimit(.minutes(30)))
struct HTTPTLSTests {
    private static let who =
        "POST \(TestMethods.who) HTTP/1.1\r\nhost: assay.example\r\ncontent-type: application/proto\r\ncontent-length: 0\r\n"

    private func run(
        withoutCertificates: Bool = false, drainTimeout: Duration? = nil,
        _ body: (HTTPTestServer, HTTPTestTLS) async throws -> Void
    ) async throws {
        let tls = try HTTPTestTLS()
        let setup = HTTPTestServer.Setup.with {
            $0.address = HTTPTestTLS.address
            $0.tls = tls.server
            if let drainTimeout { $0.limits.drainTimeout = drainTimeout }
            if withoutCertificates { $0.withoutCertificates = [HTTPTestTLS.address] }
        }
        try await HTTPTestServer.run(setup) { try await body($0, tls) }
    }

    @Test("a client that wants HTTP/2 gets it, and its names reach the handler", arguments: [["h2"], ["h2", "http/1.1"]])
    func http2(_ protocols: [String]) async throws {
        try await run { server, tls in
            let client = try await HTTP2Client.connect(to: server.address, tls: tls.client(protocols))
            let who = String(decoding: try await client.answer(to: TestMethods.who).messages?.first ?? [], as: UTF8.self)
            #expect(who.hasPrefix("tls 127.0.0.1 port "))
            #expect(who.hasSuffix(" uri=\(HTTPTestTLS.callerName), counted as uri=\(HTTPTestTLS.callerName)"))
            let long = [UInt8](repeating: 3, count: 900_000)
            #expect(try await client.answer(to: TestMethods.echo, long).messages == [long])
        }
    }

    @Test("a client of HTTP/2 hears the beginning before its first call")
    func idleHTTP2() async throws {
        try await run { server, tls in
            let client = try await RawClient.connect(to: server.address, tls: tls.client(["h2"]))
            try await client.say(RawFrames.preface + RawFrames.settings)
            try await eventually("three frames come") { RawFrames.all(in: client.bytes).count >= 3 }
            #expect(RawFrames.all(in: client.bytes).map(\.type) == [4, 8, 4])
            let body = Enveloped.bytes([7])
            try await client.say(RawFrames.settingsAcknowledged + RawFrames.call(1, TestMethods.echo) + RawFrames.data(1, body))
            try await eventually("the call is answered") {
                RawFrames.all(in: client.bytes).contains { $0.type == 0 && $0.payload == body }
            }
            #expect(RawFrames.all(in: client.bytes).count { $0.type == 4 } == 2)
        }
    }

    @Test(
        "a client that wants HTTP/1.1, says nothing, or wants what is not spoken gets HTTP/1.1",
        arguments: [["http/1.1"], [], ["imap"]])
    func http1(_ protocols: [String]) async throws {
        try await run { server, tls in
            let client = try await RawClient.connect(to: server.address, tls: tls.client(protocols))
            client.shout(Array("\(Self.who)\r\n".utf8))
            let answer = try await client.answer()
            #expect(answer.status == 200 && answer.text.hasSuffix("counted as uri=\(HTTPTestTLS.callerName)"))
        }
    }

    @Test("a connection over TLS ends behind the answer of a client that asks for it")
    func connectionClose() async throws {
        try await run { server, tls in
            let client = try await RawClient.connect(to: server.address, tls: tls.client(["http/1.1"]))
            client.shout(Array("\(Self.who)connection: close\r\n\r\n".utf8))
            #expect(try await client.answer().status == 200)
            try await client.end()
            await client.close()
            try await eventually("it is gone") { server.statistics.openConnections == 0 }
        }
    }

    @Test("a server that stops finishes the calls in flight over TLS")
    func gracefulStop() async throws {
        try await run(drainTimeout: .seconds(60)) { server, tls in
            let client = try await HTTP2Client.connect(to: server.address, tls: tls.client(["h2"]))
            let stream = client.call(TestMethods.hold, [1])
            try await eventually("the call is held") { server.calls.held.count == 1 }
            async let stopped: Void = server.front.stop()
            try await eventually("the client is told") { !client.goAways.isEmpty }
            server.calls.answerAll()
            #expect(try await client.answer(stream).messages == [[1]])
            try await client.end()
            await stopped
        }
    }

    @Test("a client without a certificate is refused where certificates are demanded")
    func noCertificate() async throws {
        try await run { server, tls in
            let client = try await RawClient.connect(
                to: server.address, tls: tls.client(["http/1.1"], showsCertificate: false))
            client.shout(Array("\(Self.who)\r\n".utf8))
            try await client.end()
            #expect(client.bytes.isEmpty && server.statistics.acceptedConnections == 0)
            try await eventually("it is counted") {
                server.statistics.endedConnections == ["handshake_failed": 1]
            }
        }
    }

    @Test("a client without a certificate has no name where none is demanded", arguments: [false, true])
    func withoutCertificates(_ shows: Bool) async throws {
        try await run(withoutCertificates: true) { server, tls in
            let client = try await RawClient.connect(
                to: server.address, tls: tls.client(["http/1.1"], showsCertificate: shows))
            client.shout(Array("\(Self.who)\r\n".utf8))
            let text = try await client.answer().text
            #expect(text.hasSuffix(shows ? "counted as uri=\(HTTPTestTLS.callerName)" : " no name, counted as 127.0.0.1"))
        }
    }
}
