import AssayListening
import AssayTesting
import NIOHTTP2
import Testing

@testable import AssayHTTP
@testable import AssayRPC

/// Connections of HTTP/2: streams side by side, windows, and the end.
@Suite("HTTP/2 connections", .timeLimit(.minutes(30)))
struct HTTP2ConnectionTests {
    // MARK: Streams side by side

    @Test("200 calls at once are all answered")
    func manyStreams() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let streams = (0..<200).map { client.call(TestMethods.hold, [UInt8($0)]) }
            try await eventually("all are held") { server.calls.held.count == 200 }
            server.calls.answerAll()
            for (number, stream) in streams.enumerated() {
                let answer = try await client.answer(stream)
                #expect(answer.messages == [[UInt8(number)]] && answer.grpcStatus == .ok)
            }
            #expect(server.statistics.acceptedConnections == 1)
        }
    }

    @Test("calls beyond those that a connection may have are refused, and the others go on")
    func tooManyCalls() async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxStreams = 4 }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let held = (0..<4).map { client.call(TestMethods.hold, [$0]) }
            try await eventually("four are held") { server.calls.held.count == 4 }
            let refused = try await client.answer(to: TestMethods.hold)
            #expect(refused.grpcStatus == .resourceExhausted && refused.has(reason: "too_many_calls"))
            server.calls.answerAll()
            for stream in held { #expect(try await client.answer(stream).grpcStatus == .ok) }
            #expect(try await client.answer(to: TestMethods.echo, [1]).messages == [[1]])
        }
    }

    @Test("a stream that breaks its content-length is reset, and the other streams go on")
    func streamError() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            let body = Enveloped.bytes([7])
            try await client.say(
                RawFrames.preface + RawFrames.settings + RawFrames.call(1, TestMethods.hold) + RawFrames.data(1, body)
                    + RawFrames.call(3, TestMethods.echo, [("content-length", "3")]) + RawFrames.data(3, body)
                    + RawFrames.call(5, TestMethods.echo) + RawFrames.data(5, body))
            func frame(_ type: UInt8, _ stream: UInt32) -> RawFrames.Frame? {
                RawFrames.all(in: client.bytes).first { $0.type == type && $0.stream == stream }
            }
            try await eventually("the stream is reset") { frame(3, 3) != nil }
            try await eventually("the next one is answered") { frame(0, 5)?.payload == body }
            try await eventually("the first one is held") { server.calls.held.count == 1 }
            server.calls.answerAll()
            try await eventually("the first one is answered") { frame(0, 1)?.payload == body }
            #expect(!client.hasEnded && RawFrames.all(in: client.bytes).allSatisfy { $0.type != 7 })
        }
    }

    @Test("a header that is too long, or has too many fields, is answered 431 on its stream, and the connection goes on")
    func longHeader() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let held = client.call(TestMethods.hold, [1])
            try await eventually("a call is held") { server.calls.held.count == 1 }
            let long = [("x-long", String(repeating: "a", count: 17 << 10))]
            let many = (0..<65).map { ("x-\($0)", "a") }
            for fields in [long, many] {
                let answer = try await client.answer(to: TestMethods.echo, [1], fields)
                #expect(answer.status == 431 && answer.text.hasPrefix(#"{"code":"resource_exhausted","#))
            }
            #expect(try await client.answer(to: TestMethods.echo, [2]).messages == [[2]])
            server.calls.answerAll()
            #expect(try await client.answer(held).messages == [[1]])
        }
    }

    @Test("a client that waits with its body is told to go on")
    func expectContinue() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.openCall(TestMethods.echo, [("expect", "100-continue")])
            try await eventually("it is told") { client.partial(stream).informational == [100] }
            client.send(Enveloped.bytes([1]), on: stream, isEnd: true)
            let answer = try await client.answer(stream)
            #expect(answer.status == 200 && answer.messages == [[1]])
        }
    }

    // MARK: The beginning

    @Test("a preface may come byte by byte")
    func slowPreface() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            let body = Enveloped.bytes([7])
            let bytes = RawFrames.preface + RawFrames.settings + RawFrames.call(1, TestMethods.echo) + RawFrames.data(1, body)
            for byte in bytes { try await client.say([byte]) }
            try await eventually("the call is answered") {
                RawFrames.all(in: client.bytes).contains { $0.type == 0 && $0.payload == body }
            }
        }
    }

    @Test("the first frame of the server is its settings, and the window of the connection is wider than the least")
    func beginning() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(RawFrames.preface + RawFrames.settings)
            try await eventually("three frames come") { RawFrames.all(in: client.bytes).count >= 3 }
            let frames = RawFrames.all(in: client.bytes)
            #expect(frames.first?.type == 4 && frames.first?.flags == 0)
            #expect(frames.contains { $0.type == 8 && $0.stream == 0 })
            #expect(frames.contains { $0.type == 4 && $0.flags == 1 }, "the client's settings are acknowledged")
        }
    }

    // MARK: Windows

    @Test("what a connection has received is given back to its window")
    func refilledWindow() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let message = [UInt8](repeating: 1, count: 128 << 10)
            // 16 MiB, four times the window of the connection.
            for _ in 0..<16 {
                let streams = (0..<8).map { _ in client.call(TestMethods.fail, message) }
                for stream in streams { #expect(try await client.answer(stream).grpcStatus == .failedPrecondition) }
            }
        }
    }

    @Test("what is sent behind a refusal is discarded, and given back to the window too")
    func discardedBody() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let part = [UInt8](repeating: 1, count: 256 << 10)
            for _ in 0..<32 {
                let stream = client.openCall("/test.Test/Nothing")
                for _ in 0..<2 { client.send(part, on: stream) }
                client.send(part, on: stream, isEnd: true)
                #expect(try await client.answer(stream).grpcStatus == .unimplemented)
                #expect(try await client.answer(to: TestMethods.echo, [1]).messages == [[1]])
            }
        }
    }

    @Test("an answer waits for the window of its client")
    func smallWindow() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address, window: 0, givesWindow: false)
            let stream = client.call(TestMethods.echo, [1, 2, 3])
            try await eventually("the head comes") { client.partial(stream).headers != nil }
            #expect(client.partial(stream).body.isEmpty)
            client.giveWindow(5, of: stream)
            try await eventually("five bytes come") { client.partial(stream).body.count == 5 }
            #expect(client.partial(stream).trailers == nil)
            client.giveWindow(3, of: stream)
            let answer = try await client.answer(stream)
            #expect(answer.messages == [[1, 2, 3]] && answer.grpcStatus == .ok)
        }
    }

    @Test("an answer that gets no window is given up after the write timeout, and the connection goes on or ends")
    func noWindow() async throws {
        try await HTTPTestServer.run(.with { $0.limits.writeTimeout = .milliseconds(200) }) { server in
            let client = try await HTTP2Client.connect(to: server.address, window: 0, givesWindow: false)
            let stream = client.call(TestMethods.echo, [1, 2, 3])
            try await eventually("it is given up") {
                client.partial(stream).reset != nil || client.hasEnded
            }
            try await eventually("nothing is held") { server.statistics.callsInFlight == 0 }
        }
    }

    @Test("a stream of messages that gets no window holds little, and is given up after the write timeout")
    func noWindowForStream() async throws {
        try await HTTPTestServer.run(.with { $0.limits.writeTimeout = .seconds(1) }) { server in
            let client = try await HTTP2Client.connect(to: server.address, window: 0, givesWindow: false)
            let stream = client.call(TestMethods.pour)
            try await eventually("the head comes") { client.partial(stream).headers != nil }
            let poured = try await settled("it pauses") { server.calls.poured }
            #expect(poured * TestMethods.pouredBytes <= 256 << 10)
            try await eventually("it is given up") {
                client.partial(stream).reset != nil || client.hasEnded
            }
            try await eventually("the handler hears of it") { server.calls.notes.count == 1 }
        }
    }

    @Test("a stream waits while its client does not read, however wide its windows are")
    func unreadStream() async throws {
        try await HTTPTestServer.withSocketPath { path in
            try await HTTPTestServer.run(.with { $0.address = .unix(path: path) }) { server in
                let client = try await HTTP2Client.connect(to: server.address, window: 1 << 30, givesWindow: false)
                client.giveWindow(1 << 30)
                try await client.setReading(false)
                _ = client.call(TestMethods.pour)
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

    // MARK: The end

    @Test("a server that stops says so, and finishes the calls in flight")
    func gracefulStop() async throws {
        try await HTTPTestServer.run(.with { $0.limits.drainTimeout = .seconds(60) }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.call(TestMethods.hold, [1])
            try await eventually("the call is held") { server.calls.held.count == 1 }
            async let stopped: Void = server.front.stop()
            try await eventually("the client is told") { client.goAways.count == 2 }
            #expect(client.goAways.map(\.lastStream) == [RawFrames.lastStream, stream])
            #expect(client.goAways.allSatisfy { $0.code == .noError && $0.reason == "shutting_down" })
            server.calls.answerAll()
            #expect(try await client.answer(stream).messages == [[1]])
            try await client.end()
            await stopped
            #expect(server.statistics.endedConnections == ["shutting_down": 1])
        }
    }

    @Test("a call that crosses the server's GOAWAY is done, until the client has answered the PING behind it")
    func crossingCall() async throws {
        let setup = HTTPTestServer.Setup.with {
            $0.limits.goAwayTimeout = .seconds(60)
            $0.limits.drainTimeout = .seconds(60)
        }
        try await HTTPTestServer.run(setup) { server in
            let client = try await RawClient.connect(to: server.address)
            func goAways() -> [Int] { RawFrames.all(in: client.bytes).filter { $0.type == 7 }.map(\.number) }
            func isAnswered(_ stream: UInt32) -> Bool {
                RawFrames.all(in: client.bytes).contains {
                    $0.type == 0 && $0.stream == stream && $0.payload == Enveloped.bytes([7])
                }
            }
            func call(_ stream: UInt32, _ path: String) -> [UInt8] {
                RawFrames.call(stream, path) + RawFrames.data(stream, Enveloped.bytes([7]))
            }
            try await client.say(RawFrames.preface + RawFrames.settings + call(1, TestMethods.hold))
            try await eventually("the call is held") { server.calls.held.count == 1 }
            async let stopped: Void = server.front.stop()
            try await eventually("it is asked") {
                RawFrames.all(in: client.bytes).contains { $0.type == 6 && $0.flags == 0 }
            }
            #expect(goAways() == [RawFrames.lastStream])

            try await client.say(call(3, TestMethods.echo))
            try await eventually("the call that crossed is answered") { isAnswered(3) }
            #expect(goAways() == [RawFrames.lastStream])

            let question = try #require(RawFrames.all(in: client.bytes).first { $0.type == 6 && $0.flags == 0 })
            try await client.say(RawFrames.frame(type: 6, flags: 1, question.payload))
            try await eventually("the last stream is named") { goAways() == [RawFrames.lastStream, 3] }
            // It is not looked at any more.
            try await client.say(call(5, TestMethods.echo))
            server.calls.answerAll()
            try await eventually("the call in flight is answered") { isAnswered(1) }
            try await client.end()
            await stopped
            #expect(!isAnswered(5))
            #expect(server.statistics.endedConnections == ["shutting_down": 1])
        }
    }

    @Test("a client that does not answer the PING gets the last GOAWAY all the same")
    func unansweredPing() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(
                RawFrames.preface + RawFrames.settings + RawFrames.call(1, TestMethods.echo)
                    + RawFrames.data(1, Enveloped.bytes([7])))
            try await eventually("the call is answered") {
                RawFrames.all(in: client.bytes).contains { $0.type == 0 && $0.stream == 1 }
            }
            await server.front.stop()
            try await client.end()
            let goAways = RawFrames.all(in: client.bytes).filter { $0.type == 7 }
            #expect(goAways.map(\.number) == [RawFrames.lastStream, 1])
            #expect(goAways.allSatisfy { $0.payload.dropFirst(8).elementsEqual("shutting_down".utf8) })
        }
    }

    @Test("a fault of the peer behind the first GOAWAY ends its connection at once")
    func faultBehindGoAway() async throws {
        let setup = HTTPTestServer.Setup.with {
            $0.limits.goAwayTimeout = .seconds(60)
            $0.limits.drainTimeout = .seconds(60)
        }
        try await HTTPTestServer.run(setup) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(
                RawFrames.preface + RawFrames.settings + RawFrames.call(1, TestMethods.sleep)
                    + RawFrames.data(1, Enveloped.bytes([])))
            try await eventually("the handler waits") { server.calls.notes == ["asleep"] }
            async let stopped: Void = server.front.stop()
            try await eventually("the client is told") {
                RawFrames.all(in: client.bytes).contains { $0.type == 7 }
            }
            try await client.say(RawFrames.frame(type: 0, flags: 1, stream: 0, [1]))
            try await client.end()
            await stopped
            #expect(server.statistics.endedConnections == ["shutting_down": 1, "protocol_error": 1])
            try await eventually("its call is given up") {
                server.calls.notes == ["asleep", "abandoned"]
            }
        }
    }

    @Test("calls that are not finished within the drain timeout are answered UNAVAILABLE")
    func drain() async throws {
        try await HTTPTestServer.run(
            .with { ($0.limits.drainTimeout, $0.limits.lingerTimeout) = (.milliseconds(200), .seconds(3)) }
        ) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.call(TestMethods.sleep)
            try await eventually("the handler waits") { server.calls.notes == ["asleep"] }
            await server.front.stop()
            let answer = try await client.answer(stream)
            #expect(answer.grpcStatus == .unavailable && answer.has(reason: "shutting_down"))
            try await eventually("the handler hears of it") {
                server.calls.notes == ["asleep", "abandoned"]
            }
        }
    }

    @Test("a client that says it leaves gets its answers, and then the end")
    func clientLeaves() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            let body = Enveloped.bytes([7])
            try await client.say(
                RawFrames.preface + RawFrames.settings + RawFrames.call(1, TestMethods.hold) + RawFrames.data(1, body))
            try await eventually("the call is held") { server.calls.held.count == 1 }
            try await client.say(RawFrames.frame(type: 7, [0, 0, 0, 0, 0, 0, 0, 0]))
            try await eventually("the server leaves too") {
                RawFrames.all(in: client.bytes).contains { $0.type == 7 }
            }
            server.calls.answerAll()
            try await client.end()
            #expect(RawFrames.all(in: client.bytes).contains { $0.type == 0 && $0.payload == body })
        }
    }

    @Test("a client that shuts its side abandons its calls")
    func halfClose() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(
                RawFrames.preface + RawFrames.settings + RawFrames.call(1, TestMethods.sleep)
                    + RawFrames.data(1, Enveloped.bytes([])))
            try await eventually("the handler waits") { server.calls.notes == ["asleep"] }
            try await client.shutOutput()
            try await eventually("the handler hears of it") {
                server.calls.notes == ["asleep", "abandoned"]
            }
            try await client.end()
        }
    }
}
