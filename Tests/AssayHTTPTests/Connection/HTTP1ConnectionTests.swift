import AssayListening
import AssayTesting
import Testing

@testable import AssayHTTP
@testable import AssayRPC

/// Connections of HTTP/1.1, by clients that write their bytes themselves.
@Suite("HTTP/1.1 connections", .timeLimit(.minutes(30)))
struct HTTP1ConnectionTests {
    /// A request that is answered with `app` as its challenge.
    private func request(_ app: String = "photos", _ fields: String = "", version: String = "HTTP/1.1") -> String {
        let body = "{\"app\":\"\(app)\"}"
        return "POST \(TestMethods.issueChallenge) \(version)\r\nhost: localhost\r\ncontent-type: application/json\r\n\(fields)"
            + "content-length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// A request of protobuf.
    private func request(to path: String, _ body: [UInt8] = []) -> [UInt8] {
        Array("POST \(path) \(Self.protobuf)content-length: \(body.count)\r\n\r\n".utf8) + body
    }

    /// The version and the first fields of a request of protobuf.
    private static let protobuf = "HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/proto\r\n"

    private func challenge(_ app: String) -> String {
        Enveloped.base64(Array(app.utf8)).map { String(UnicodeScalar($0)) }.joined()
    }

    // MARK: Several requests

    @Test("a connection stays open for further requests")
    func keepAlive() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            for app in ["a", "b", "c"] {
                try await client.say(request(app))
                let answer = try await client.answer()
                #expect(answer.status == 200 && answer.text.contains(challenge(app)) && answer["connection"] == nil)
            }
            #expect(server.statistics.acceptedConnections == 1 && server.statistics.openConnections == 1)
        }
    }

    @Test("requests that come in one write are answered in their order")
    func pipelining() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(request("a") + request("b") + "GET /no HTTP/1.1\r\nhost: localhost\r\n\r\n" + request("c"))
            for app in ["a", "b", nil, "c"] {
                let answer = try await client.answer()
                #expect(answer.status == (app == nil ? 404 : 200))
                if let app { #expect(answer.text.contains(challenge(app))) }
            }
            #expect(client.bytes.isEmpty && !client.hasEnded)
        }
    }

    @Test("a request waits for the answer to the one before it")
    func oneAtATime() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(request(to: TestMethods.hold, [1]) + request(to: TestMethods.echo, [2]))
            try await eventually("the first is held") { server.calls.held.count == 1 }
            try await client.say(request(to: TestMethods.echo, [3]))
            #expect(client.bytes.isEmpty)
            server.calls.answerAll()
            for number: UInt8 in 1...3 { #expect(try await client.answer().body == [number]) }
        }
    }

    @Test("requests may come byte by byte")
    func singleBytes() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            for byte in Array((request("a") + request("b")).utf8) { try await client.say([byte]) }
            for app in ["a", "b"] { #expect(try await client.answer().text.contains(challenge(app))) }
        }
    }

    @Test("a client that asks for the end gets it behind its answer")
    func connectionClose() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(request("a", "connection: close\r\n") + request("b"))
            let answer = try await client.answer()
            #expect(answer.status == 200 && answer["connection"] == "close")
            try await client.end()
            #expect(client.bytes.isEmpty, "the request behind it is not answered")
        }
    }

    // MARK: HTTP/1.0

    @Test("a client of HTTP/1.0 is answered, and its connection closed")
    func version10() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(request("a", version: "HTTP/1.0"))
            let answer = try await client.answer()
            #expect(answer.status == 200 && answer.text.contains(challenge("a")) && answer["content-length"] != nil)
            try await client.end()
        }
    }

    @Test("a stream to a client of HTTP/1.0, which knows no chunks, ends with the connection")
    func streamToVersion10() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            let head = "POST \(TestMethods.count) HTTP/1.0\r\nhost: localhost\r\ncontent-type: application/connect+proto\r\n"
            try await client.say(Array("\(head)content-length: 6\r\n\r\n".utf8) + Enveloped.bytes([3]))
            let answer = try await client.answer()
            #expect(answer["transfer-encoding"] == nil)
            #expect(Enveloped.all(in: answer.body)?.map(\.message) == [[1], [2], [3], Array("{}".utf8)])
        }
    }

    // MARK: The head

    @Test(
        "a request that names no host, or more than one, is answered 400 and closed",
        arguments: ["", "host: localhost\r\nhost: localhost\r\n", "host: localhost\r\nhost: 127.0.0.1\r\n"])
    func host(_ fields: String) async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say("GET \(TestFiles.path) HTTP/1.1\r\n\(fields)\r\n")
            #expect(try await client.answer().status == 400)
            try await client.end()
        }
    }

    @Test("a request whose host is empty is answered 400")
    func emptyHost() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say("GET \(TestFiles.path) HTTP/1.1\r\nhost:\r\n\r\n")
            let answer = try await client.answer()
            #expect(answer.status == 400)
        }
    }

    @Test("a target may be a whole URI, whose host counts")
    func absoluteForm() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say("GET http://localhost\(TestFiles.path)?a=b HTTP/1.1\r\nhost: localhost\r\n\r\n")
            #expect(try await client.answer().body == TestFiles.file.body)
            try await client.say("GET http://evil.example\(TestFiles.path) HTTP/1.1\r\nhost: evil.example\r\n\r\n")
            #expect(try await client.answer().status == 421)
        }
    }

    @Test("a client that waits with its body is told to go on, and one whose request is refused is not")
    func expectContinue() async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxMessageBytes = 1000 }) { server in
            let client = try await RawClient.connect(to: server.address)
            let head = "POST \(TestMethods.echo) \(Self.protobuf)expect: 100-continue\r\n"
            try await client.say(head + "content-length: 3\r\n\r\n")
            #expect(try await client.answer().status == 100)
            try await client.say([1, 2, 3])
            let answer = try await client.answer()
            #expect(answer.status == 200 && answer.body == [1, 2, 3])
            try await client.say(head + "content-length: 2000\r\n\r\n")
            #expect(try await client.answer().status == 429)
            try await client.end()
        }
    }

    @Test("an offer to upgrade to HTTP/2 is ignored")
    func upgrade() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(
                request("a", "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAAA\r\n"))
            #expect(try await client.answer().status == 200)
        }
    }

    @Test(
        "what is no HTTP/1.1 is answered 400 and closed",
        arguments: [
            "GARBAGE\r\n\r\n", "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\u{00}\u{01}", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
            "GET / HTTP/2.0\r\nhost: localhost\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\nhost : localhost\r\n\r\n", "GET / HTTP/1.1\r\nhost: localhost\r\n folded: 1\r\n\r\n",
        ])
    func garbage(_ text: String) async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(text)
            #expect(try await client.answer().status == 400)
            try await client.end()
        }
    }

    @Test("a header that is too long, or has too many fields, is answered 431 and closed")
    func longHeader() async throws {
        let long = "x-long: " + String(repeating: "a", count: 17 << 10) + "\r\n"
        let parts = (0..<20).map { "x-\($0): " + String(repeating: "a", count: 1000) + "\r\n" }.joined()
        let many = (0..<65).map { "x-\($0): a\r\n" }.joined()
        try await HTTPTestServer.run { server in
            for fields in [long, parts, many] {
                let client = try await RawClient.connect(to: server.address)
                client.shout(Array("GET \(TestFiles.path) HTTP/1.1\r\nhost: localhost\r\n\(fields)\r\n".utf8))
                #expect(try await client.answer().status == 431)
                try await client.end()
            }
            #expect(server.statistics.refusedCalls == ["header_too_long": 3])
        }
    }

    @Test("a header of many fields below the bounds is taken")
    func ordinaryHeader() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(request("a", (0..<56).map { "x-\($0): \(String(repeating: "a", count: 150))\r\n" }.joined()))
            #expect(try await client.answer().status == 200)
        }
    }

    // MARK: Bodies

    private let chunkedHead = "POST \(TestMethods.echo) \(Self.protobuf)transfer-encoding: chunked\r\n\r\n"

    @Test("a body may come in chunks, with extensions and trailers")
    func chunkedRequest() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(chunkedHead + "3\r\nabc\r\n2;name=value\r\nde\r\n0\r\nx-trailer: 1\r\n\r\n")
            let answer = try await client.answer()
            #expect(answer.status == 200 && answer.text == "abcde" && answer["connection"] == nil)
            try await client.say(request("a"))
            #expect(try await client.answer().status == 200)
        }
    }

    @Test("a body in chunks that grows too long is refused, and the connection closed")
    func longChunkedRequest() async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxMessageBytes = 1000 }) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(chunkedHead + "258\r\n" + String(repeating: "a", count: 600) + "\r\n")
            try await client.say("258\r\n" + String(repeating: "a", count: 600) + "\r\n")
            #expect(try await client.answer().status == 429)
            try await client.end()
        }
    }

    @Test(
        "a body whose length two readers could take differently is answered 400 and closed",
        arguments: [
            "content-length: 3\r\ntransfer-encoding: chunked\r\n", "content-length: 3\r\ncontent-length: 4\r\n",
            "content-length: +3\r\n", "content-length: 3, 3\r\n", "transfer-encoding: gzip\r\n",
            "transfer-encoding: chunked, gzip\r\n",
        ])
    func ambiguousLength(_ fields: String) async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            let head = "POST \(TestMethods.echo) HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/proto\r\n"
            try await client.say("\(head)\(fields)\r\n0\r\n\r\n")
            #expect(try await client.answer().status == 400)
            try await client.end()
            #expect(server.statistics.callsStarted == 0)
        }
    }

    @Test("a body that breaks off in a chunk that is none is answered 400 and closed")
    func badChunk() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(chunkedHead + "3\r\nabc\r\nZZ\r\n")
            #expect(try await client.answer().status == 400)
            try await client.end()
            #expect(server.statistics.callsStarted == 0)
        }
    }

    // MARK: The end

    @Test("a client that shuts its side abandons its call")
    func halfClose() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(request(to: TestMethods.sleep))
            try await eventually("the handler waits") { server.calls.notes == ["asleep"] }
            try await client.shutOutput()
            try await eventually("the handler hears of it") {
                server.calls.notes == ["asleep", "abandoned"]
            }
            try await client.end()
            try await eventually("nothing is left") {
                server.statistics.openConnections == 0 && server.statistics.callsInFlight == 0
            }
        }
    }

    @Test("a server that stops finishes the request in work, and then closes")
    func gracefulStop() async throws {
        try await HTTPTestServer.run(.with { $0.limits.drainTimeout = .seconds(60) }) { server in
            let (busy, idle) = (
                try await RawClient.connect(to: server.address), try await RawClient.connect(to: server.address)
            )
            try await idle.say(request("a"))
            #expect(try await idle.answer().status == 200)
            try await busy.say(request(to: TestMethods.hold, [1]))
            try await eventually("the call is held") { server.calls.held.count == 1 }
            async let stopped: Void = server.front.stop()
            try await idle.end()
            #expect(!busy.hasEnded)
            server.calls.answerAll()
            let answer = try await busy.answer()
            #expect(answer.body == [1] && answer["connection"] == "close")
            try await busy.end()
            await busy.close()
            await stopped
        }
    }

    // MARK: Clients that do not read

    @Test("a client that does not read its answers is not read from, until it reads")
    func unreadAnswers() async throws {
        try await HTTPTestServer.withSocketPath { path in
            try await HTTPTestServer.run(.with { $0.address = .unix(path: path) }) { server in
                let client = try await RawClient.connect(to: server.address)
                try await client.setReading(false)
                // 64 times 128 KiB, where the kernel holds some hundred KiB for a socket.
                for _ in 0..<64 { client.shout(request(to: TestMethods.blob, [0, 2, 0, 0])) }
                try await eventually("it begins") { server.statistics.callsStarted > 0 }
                let started = try await settled("it pauses") { server.statistics.callsStarted }
                #expect(started < 32)
                try await client.setReading(true)
                for _ in 0..<64 { #expect(try await client.answer().body.count == 128 << 10) }
            }
        }
    }

    @Test("a stream waits while its client does not read")
    func unreadStream() async throws {
        try await HTTPTestServer.withSocketPath { path in
            try await HTTPTestServer.run(.with { $0.address = .unix(path: path) }) { server in
                let client = try await RawClient.connect(to: server.address)
                try await client.setReading(false)
                let head = "POST \(TestMethods.pour) HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/connect+proto\r\n"
                try await client.say(Array("\(head)content-length: 5\r\n\r\n".utf8) + Enveloped.bytes([]))
                try await eventually("it begins") { server.calls.poured > 0 }
                let poured = try await settled("it pauses") { server.calls.poured }
                #expect(poured * TestMethods.pouredBytes < 4 << 20)
                try await client.setReading(true)
                try await eventually("it goes on") { server.calls.poured > 2 * poured }
                await client.close()
                try await eventually("the handler hears of it") { server.calls.notes.count == 1 }
            }
        }
    }
}
