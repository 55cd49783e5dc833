import AssayAPI
import Testing

@testable import AssayHTTP

/// What GET and HEAD read beside the calls.
@Suite("Files over HTTP", .timeLimit(.minutes(30)))
struct FileTests {
    @Test("a file has its type, its tag and how long it may be kept", arguments: HTTPVersion.allCases)
    func get(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let answer = try await version.request(TestFiles.path + "?v=1", nil, method: "GET", at: server)
            #expect(answer.status == 200 && answer.body == TestFiles.file.body)
            #expect(answer.field("content-type") == "text/plain" && answer.field("etag") == "\"v1\"")
            #expect(answer.field("cache-control") == "public, max-age=60")
            #expect(answer.field("x-content-type-options") == "nosniff")
        }
    }

    @Test("a reader that has the file is told so", arguments: HTTPVersion.allCases)
    func notModified(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            for known in ["\"v1\"", "W/\"v1\"", "\"v0\", \"v1\"", "*"] {
                let answer = try await version.request(
                    TestFiles.path, nil, [], [("if-none-match", known)], method: "GET", at: server)
                #expect(answer.status == 304 && answer.body.isEmpty && answer.field("etag") == "\"v1\"", "\(known)")
            }
            let other = try await version.request(
                TestFiles.path, nil, [], [("if-none-match", "\"v0\"")], method: "GET", at: server)
            #expect(other.status == 200)
        }
    }

    @Test("HEAD has the head of GET, and no body", arguments: HTTPVersion.allCases)
    func head(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let answer = try await version.request(TestFiles.path, nil, method: "HEAD", at: server)
            #expect(answer.status == 200 && answer.body.isEmpty && answer.field("etag") == "\"v1\"")
            #expect(answer.field("content-length") == "\(TestFiles.file.body.count)")
        }
    }

    @Test("answers without a body are followed by those to further requests")
    func framing() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            func say(_ method: String, _ path: String, _ fields: String = "") async throws {
                try await client.say("\(method) \(path) HTTP/1.1\r\nhost: localhost\r\n\(fields)\r\n")
            }
            try await say("HEAD", TestFiles.path)
            #expect(try await client.answer(isToHead: true).status == 200)
            try await say("GET", TestFiles.path, "if-none-match: \"v1\"\r\n")
            #expect(try await client.answer().status == 304)
            try await say("HEAD", TestFiles.missing)
            #expect(try await client.answer(isToHead: true).status == 404)
            try await say("GET", TestFiles.path)
            #expect(try await client.answer().body == TestFiles.file.body)
        }
    }

    @Test(
        "HEAD has no body either where there is no file", arguments: HTTPVersion.allCases,
        [TestMethods.whoAmI, "/no/such/path"])
    func headOfNoFile(_ version: HTTPVersion, _ path: String) async throws {
        try await HTTPTestServer.run { server in
            let answer = try await version.request(path, nil, method: "HEAD", at: server)
            #expect(answer.status == (path == TestMethods.whoAmI ? 405 : 404) && answer.body.isEmpty)
        }
        guard version == .one else { return }
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say("HEAD \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n")
            _ = try await client.answer(isToHead: true)
            try await client.say("GET \(TestFiles.path) HTTP/1.1\r\nhost: localhost\r\n\r\n")
            #expect(try await client.answer().body == TestFiles.file.body)
        }
    }

    @Test("a file is not written, and one that is not there is 404", arguments: HTTPVersion.allCases)
    func refused(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let posted = try await version.post(TestFiles.path, "text/plain", text: "new", at: server)
            #expect(posted.status == 405 && posted.field("allow") == "GET, HEAD")
            let missing = try await version.request(TestFiles.missing, nil, method: "GET", at: server)
            #expect(missing.status == 404 && missing.text.hasPrefix(#"{"code":"not_found","#))
        }
    }

    @Test(
        "a file is told the query and the media types of its reader, and caches tell its kinds apart",
        arguments: HTTPVersion.allCases)
    func choice(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let plain = try await version.request(TestFiles.choice + "?a=1&b", nil, method: "GET", at: server)
            #expect(plain.text == "a=1&b -" && plain.field("vary") == "accept")
            #expect(plain.field("access-control-allow-origin") == "*")
            let fields = [("accept", "text/plain;q=0.5"), ("accept", "*/*")]
            let chosen = try await version.request(TestFiles.choice, nil, [], fields, method: "GET", at: server)
            #expect(chosen.text.filter { $0 != " " } == "text/plain;q=0.5,*/*")
            let other = try await version.request(TestFiles.path, nil, method: "GET", at: server)
            #expect(other.field("vary") == nil && other.field("access-control-allow-origin") == nil)
        }
    }

    @Test(
        "a file that is refused as it is asked for has the status of the refusal, and no cache keeps it",
        arguments: HTTPVersion.allCases)
    func refusal(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            for (path, status) in [(TestFiles.choice + "?none", 501), (TestFiles.missing, 404)] {
                let answer = try await version.request(path, nil, method: "GET", at: server)
                #expect(answer.status == status && answer.field("cache-control") == "no-store")
            }
        }
    }

    @Test("the OpenAPI document is served where the settings say so", arguments: [true, false])
    func openAPI(_ isServed: Bool) async throws {
        try await HTTPTestServer.run(.with { $0.settings.servesOpenAPI = isServed }) { server in
            let answer = try await HTTPVersion.two.request("/openapi.json", nil, method: "GET", at: server)
            #expect(answer.status == (isServed ? 200 : 404))
            if isServed { #expect(answer.body == OpenAPIDocument.json()) }
        }
    }
}
