import AssayListening
import AssayTesting
import NIOHTTP2
import Testing

@testable import AssayHTTP
@testable import AssayRPC

/// Clients that are slow or silent.
@Suite("Timeouts over HTTP", .timeLimit(.minutes(30)))
struct HTTPTimeoutTests {
    @Test("a connection without a head is closed after the head timeout", arguments: HeadBeginning.allCases)
    func head(_ beginning: HeadBeginning) async throws {
        try await HTTPTestServer.run(.with { $0.limits.headTimeout = .milliseconds(200) }) { server in
            let client = try await RawClient.connect(to: server.address)
            client.shout(beginning.bytes)
            try await client.end()
            #expect(server.statistics.endedConnections == ["head_timeout": 1])
            await client.close()
            try await eventually("it is gone") { server.statistics.openConnections == 0 }
        }
    }

    enum HeadBeginning: String, CaseIterable, Sendable {
        case nothing, half, preface, settings

        var bytes: [UInt8] {
            switch self {
            case .nothing: []
            case .half: Array("POST / HTTP/1.1\r\nhost: loc".utf8)
            case .preface: Array(RawFrames.preface.prefix(10))
            case .settings: RawFrames.preface + RawFrames.settings + RawFrames.settingsAcknowledged
            }
        }
    }

    @Test("a peer that never closes its side is closed after the linger timeout")
    func linger() async throws {
        try await HTTPTestServer.run(.with { $0.limits.headTimeout = .milliseconds(200) }) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.end()
            try await eventually("it is gone") { server.statistics.openConnections == 0 }
        }
    }

    @Test("a later head that does not become whole is not waited for as an idle connection is")
    func laterHead() async throws {
        let setup = HTTPTestServer.Setup.with {
            $0.limits.headTimeout = .seconds(5)
            $0.limits.idleTimeout = .seconds(600)
        }
        try await HTTPTestServer.run(setup) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say("GET \(TestFiles.path) HTTP/1.1\r\nhost: localhost\r\n\r\n")
            #expect(try await client.answer().status == 200)
            try await client.say("GET \(TestFiles.path) HTTP/1.1\r\nhost: loc")
            try await client.end()
        }
    }

    @Test("a head over HTTP/2 that does not become whole ends the connection, also while a call is in work")
    func headOfHTTP2() async throws {
        try await HTTPTestServer.run(.with { $0.limits.headTimeout = .seconds(10) }) { server in
            let client = try await RawClient.connect(to: server.address)
            let call = RawFrames.call(3, TestMethods.echo)
            try await client.say(
                RawFrames.preface + RawFrames.settings + RawFrames.call(1, TestMethods.sleep)
                    + RawFrames.data(1, Enveloped.bytes([])))
            try await eventually("the handler waits") { server.calls.notes == ["asleep"] }
            // Without its last byte.
            try await client.say(Array(call.dropLast()))
            try await client.end()
            #expect(server.statistics.endedConnections == ["head_timeout": 1])
            try await eventually("its call is given up") {
                server.calls.notes == ["asleep", "abandoned"] && server.statistics.callsInFlight == 0
            }
        }
    }

    @Test("a head over HTTP/2 may come in parts, and a call may take longer than a head")
    func slowHeadOfHTTP2() async throws {
        try await HTTPTestServer.run(.with { $0.limits.headTimeout = .seconds(10) }) { server in
            let client = try await RawClient.connect(to: server.address)
            let body = Enveloped.bytes([7])
            try await client.say(
                RawFrames.preface + RawFrames.settings + RawFrames.call(1, TestMethods.hold) + RawFrames.data(1, body))
            let call = RawFrames.inContinuations(RawFrames.call(3, TestMethods.echo), pieces: 3)
            for byte in call { try await client.say([byte]) }
            try await Task.sleep(for: .seconds(11))
            try await client.say(RawFrames.data(3, body))
            try await eventually("the call is answered") {
                RawFrames.all(in: client.bytes).contains { $0.type == 0 && $0.stream == 3 && $0.payload == body }
            }
            #expect(!client.hasEnded && server.statistics.endedConnections.isEmpty)
        }
    }

    @Test("a request over HTTP/1.1 whose body does not become whole is refused, and its connection closed")
    func bodyOfHTTP1() async throws {
        try await HTTPTestServer.run(.with { $0.limits.bodyTimeout = .milliseconds(200) }) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(
                "POST \(TestMethods.echo) HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/proto\r\n"
                    + "content-length: 10\r\n\r\nab")
            let answer = try await client.answer()
            #expect(answer.status == 408 && answer["connection"] == "close")
            #expect(answer.text.hasPrefix(#"{"code":"deadline_exceeded","#))
            try await client.end()
            #expect(server.statistics.refusedCalls == ["body_timeout": 1])
            try await eventually("nothing is held") { server.statistics.heldBytes == 0 }
        }
    }

    @Test("a request over HTTP/2 whose body does not become whole is refused, and the connection goes on")
    func bodyOfHTTP2() async throws {
        try await HTTPTestServer.run(.with { $0.limits.bodyTimeout = .seconds(3) }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.openCall(TestMethods.echo)
            client.send([0, 0, 0, 0, 9, 1], on: stream)
            let answer = try await client.answer(stream)
            #expect(answer.grpcStatus == .deadlineExceeded && answer.has(reason: "body_timeout"))
            #expect(try await client.answer(to: TestMethods.echo, [1]).messages == [[1]])
            try await eventually("nothing is held") { server.statistics.heldBytes == 0 }
        }
    }

    @Test("over HTTP/2 a body without an envelope that is too slow has the status that it has over HTTP/1.1")
    func statusOfBody() async throws {
        try await HTTPTestServer.run(.with { $0.limits.bodyTimeout = .milliseconds(200) }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            for type in ["application/json", "application/proto"] {
                let stream = client.open(TestMethods.issueChallenge, [("content-type", type)])
                client.send([0x7b], on: stream)
                let answer = try await client.answer(stream)
                #expect(answer.status == 408 && answer.text.hasPrefix(#"{"code":"deadline_exceeded","#), "\(type)")
            }
            #expect(server.statistics.refusedCalls == ["body_timeout": 2])
        }
    }

    @Test("a stream that is answered early and that its client does not end is reset")
    func openStream() async throws {
        try await HTTPTestServer.run(.with { $0.limits.writeTimeout = .milliseconds(200) }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.openCall(TestMethods.echo, [("grpc-encoding", "br")])
            #expect(try await client.answer(stream).grpcStatus == .unimplemented)
            try await eventually("it is reset") { client.partial(stream).reset != nil }
            #expect(try await client.answer(to: TestMethods.echo, [1]).messages == [[1]], "the connection goes on")
        }
    }

    @Test("an idle connection is closed, and one with a call in flight is not")
    func idle() async throws {
        try await HTTPTestServer.run(.with { $0.limits.idleTimeout = .milliseconds(300) }) { server in
            let busy = try await HTTP2Client.connect(to: server.address)
            let held = busy.call(TestMethods.hold, [1])
            try await eventually("a call is held") { server.calls.held.count == 1 }

            let second = try await HTTP2Client.connect(to: server.address)
            #expect(try await second.answer(to: TestMethods.echo, [1]).grpcStatus == .ok)
            let first = try await RawClient.connect(to: server.address)
            try await first.say("GET \(TestFiles.path) HTTP/1.1\r\nhost: localhost\r\n\r\n")
            #expect(try await first.answer().status == 200)
            try await first.end()
            try await second.end()
            #expect(second.goAways.map(\.reason) == ["idle_timeout", "idle_timeout"])
            #expect(second.goAways.allSatisfy { $0.code == .noError })
            #expect(server.statistics.endedConnections == ["idle_timeout": 2])

            #expect(!busy.hasEnded && busy.goAways.isEmpty)
            server.calls.answerAll()
            #expect(try await busy.answer(held).messages == [[1]])
        }
    }

    @Test("a client of HTTP/1.1 that does not read its answer is closed after the write timeout")
    func unreadAnswer() async throws {
        try await HTTPTestServer.withSocketPath { path in
            let setup = HTTPTestServer.Setup.with {
                $0.address = .unix(path: path)
                $0.limits.writeTimeout = .milliseconds(300)
            }
            try await HTTPTestServer.run(setup) { server in
                let client = try await RawClient.connect(to: server.address)
                try await client.setReading(false)
                // 1 MiB, where the kernel holds some hundred KiB for a socket.
                try await client.say(
                    Array(
                        ("POST \(TestMethods.blob) HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/proto\r\n"
                            + "content-length: 4\r\n\r\n").utf8) + [0, 0x10, 0, 0])
                try await eventually("it is given up") {
                    server.statistics.endedConnections == ["write_timeout": 1]
                }
                try await eventually("it is gone") { server.statistics.openConnections == 0 }
            }
        }
    }
}
