import AssayTesting
import Testing

@testable import AssayHTTP
@testable import AssayRPC

/// Who makes a call: by a credential, by the address that a proxy passes on, by the host that is asked for.
@Suite("Callers over HTTP", .timeLimit(.minutes(30)))
struct HTTPCallerTests {
    /// Knows one key.
    private static let access = RPCAccess(
        caller: { peer in if case .key(let name, _) = peer { name } else { nil } },
        refusal: { _, path in
            path == TestMethods.unaryEcho ? RPCError(.permissionDenied, "no", reason: "permission_denied") : nil
        },
        identify: { peer, credential in
            credential == "Bearer good" ? .success(.key(name: "photos", origin: peer)) : .failure(.credentialRefused)
        },
        version: { 0 })

    private func who(_ client: HTTP2Client, _ fields: [(String, String)]) async throws -> String {
        String(decoding: try await client.answer(to: TestMethods.who, [], fields).messages?.first ?? [], as: UTF8.self)
    }

    @Test("a key counts for the call that shows it")
    func key() async throws {
        try await HTTPTestServer.run(.with { $0.access = Self.access }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            for _ in 0..<2 {
                let shown = try await who(client, [("authorization", "Bearer good")])
                #expect(shown.hasPrefix("key photos tcp 127.0.0.1 port ") && shown.hasSuffix(", counted as photos"))
                let plain = try await who(client, [])
                #expect(plain.hasPrefix("tcp 127.0.0.1 port ") && plain.hasSuffix(", counted as 127.0.0.1"))
            }
        }
    }

    @Test("a key that is not known is UNAUTHENTICATED, which is 401 in JSON")
    func wrongKey() async throws {
        try await HTTPTestServer.run(.with { $0.access = Self.access }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(to: TestMethods.who, [], [("authorization", "Bearer bad")])
            #expect(answer.grpcStatus == .unauthenticated && answer.has(reason: "credential_refused"))
            #expect(try await client.answer(to: TestMethods.echo, [1]).messages == [[1]], "the connection goes on")
            for version in HTTPVersion.allCases {
                let fields = [("authorization", "Bearer bad")]
                let refused = try await version.post(
                    TestMethods.whoAmI, "application/json", text: "{}", fields, at: server)
                #expect(refused.field("www-authenticate") == "Bearer")
                #expect(refused.status == 401 && refused.text.hasPrefix(#"{"code":"unauthenticated","#))
            }
            #expect(server.statistics.refusedCalls == ["credential_refused": 3])
        }
    }

    @Test("a call that its caller may not make is PERMISSION_DENIED, which is 403")
    func denied() async throws {
        try await HTTPTestServer.run(.with { $0.access = Self.access }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            #expect(try await client.answer(to: TestMethods.unaryEcho).grpcStatus == .permissionDenied)
            let answer = try await HTTPVersion.one.request(TestMethods.unaryEcho, "application/proto", at: server)
            #expect(answer.status == 403 && server.statistics.callsStarted == 0)
        }
    }

    @Test("a connection whose key becomes known may reset as many calls as a known caller")
    func keyMakesKnown() async throws {
        try await HTTPTestServer.run(.with { $0.access = Self.access }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            #expect(try await who(client, [("authorization", "Bearer good")]).hasSuffix("photos"))
            for number in 1...300 {
                let stream = client.call(TestMethods.sleep)
                client.reset(stream)
                try await eventually("it is abandoned") {
                    server.statistics.refusedCalls["cancelled"] == number
                }
            }
            #expect(try await client.answer(to: TestMethods.echo, [1]).messages == [[1]])
        }
    }

    // MARK: Behind a proxy

    private func trusting() throws -> HTTPTestServer.Setup {
        let ranges = [try AddressRange(parsing: "127.0.0.0/8")]
        return .with {
            $0.settings.trustedProxies = TrustedProxies(ranges)
            $0.calls.maxInFlightPerCaller = 1
        }
    }

    @Test("the clients of a proxy that is believed are counted by their own addresses")
    func believedProxy() async throws {
        try await HTTPTestServer.run(trusting()) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let held = client.call(TestMethods.hold, [1], [("x-forwarded-for", "203.0.113.7")])
            try await eventually("a call is held") { server.calls.held.count == 1 }
            let second = try await client.answer(to: TestMethods.echo, [], [("x-forwarded-for", "198.51.100.1, 203.0.113.7")])
            #expect(second.grpcStatus == .resourceExhausted && second.has(reason: "too_many_calls"))
            #expect(
                try await who(client, [("x-forwarded-for", "203.0.113.8")]) == "tcp 203.0.113.8 port 0, counted as 203.0.113.8")
            #expect(try await who(client, [("forwarded", "for=203.0.113.9")]).hasSuffix("counted as 203.0.113.9"))
            #expect(try await who(client, []).hasSuffix("counted as 127.0.0.1"))
            server.calls.answerAll()
            #expect(try await client.answer(held).messages == [[1]])
        }
    }

    @Test("a proxy that passes on two headers with different clients is refused")
    func differingHeaders() async throws {
        try await HTTPTestServer.run(trusting()) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let fields = [("x-forwarded-for", "203.0.113.8"), ("forwarded", "for=198.51.100.1")]
            let answer = try await client.answer(to: TestMethods.whoAmI, [], fields)
            #expect(answer.grpcStatus == .invalidArgument && answer.has(reason: "forwarded_headers_differ"))
            let same = [("x-forwarded-for", "203.0.113.8"), ("forwarded", "for=203.0.113.8")]
            #expect(try await who(client, same).hasSuffix("counted as 203.0.113.8"))
        }
    }

    @Test("an address that another peer passes on is not believed")
    func otherPeer() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            for name in ["x-forwarded-for", "forwarded"] {
                let value = name == "forwarded" ? "for=203.0.113.8" : "203.0.113.8"
                #expect(try await who(client, [(name, value)]).hasSuffix("counted as 127.0.0.1"))
            }
        }
    }

    // MARK: Pages of a browser

    @Test("a server on loopback is asked for by a name of this machine", arguments: HTTPVersion.allCases)
    func host(_ version: HTTPVersion) async throws {
        let hosts = [
            ("localhost", 200), ("LocalHost:8080", 200), ("127.0.0.1:80", 200), ("[::1]:80", 200), ("app.localhost", 200),
            ("127.9.9.9", 200), ("[::ffff:127.0.0.1]", 200), ("localhost:", 200),
            ("evil.example", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example:80", 421),
            ("0.0.0.0:80", 421), ("10.0.0.1", 421), ("127.1", 421), ("2130706433", 421), ("0x7f.1", 421), ("1.2.3.4.5", 421),
            ("[::]:80", 421), ("[2001:db8::1]", 421), ("[127.0.0.1]", 421), ("[localhost]", 421), ("[::1", 421),
            ("[::1]x", 421), ("::1", 421), ("localhost:80@evil.example", 421), ("localhost@evil.example", 421), (":80", 421),
            ("evillocalhost", 421),
        ]
        try await HTTPTestServer.run { server in
            for (host, expected) in hosts {
                let status = try await status(version, host, server.address)
                #expect(status == expected, "\(host)")
            }
        }
    }

    @Test("a server at a Unix socket, which no page reaches, is asked for by any name", arguments: HTTPVersion.allCases)
    func hostAtUnixSocket(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.withSocketPath { path in
            try await HTTPTestServer.run(.with { $0.address = .unix(path: path) }) { server in
                let status = try await status(version, "daemon.example", server.address)
                #expect(status == 200)
            }
        }
    }

    private func status(_ version: HTTPVersion, _ host: String, _ address: RPCAddress) async throws -> Int? {
        switch version {
        case .one:
            let client = try await RawClient.connect(to: address)
            try await client.say("GET \(TestFiles.path) HTTP/1.1\r\nhost: \(host)\r\n\r\n")
            return try await client.answer().status
        case .two:
            let client = try await HTTP2Client.connect(to: address)
            let stream = client.open(TestFiles.path, [], method: "GET", authority: host, isEnd: true)
            return try await client.answer(stream).status
        }
    }
}
