import AssayCore
import AssayRPC
import AssayTesting
import NIOHPACK
import NIOHTTP2
import Testing

@testable import AssayHTTP

/// Calls of gRPC on connections of HTTP/2 that begin with its preface.
@Suite("gRPC calls", .timeLimit(.minutes(30)))
struct GRPCCallTests {
    // MARK: One message each way

    @Test("a call is answered by a head, one frame of data and trailers", arguments: [TestMethods.echo, TestMethods.unaryEcho])
    func unary(_ path: String) async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(to: path, [1, 2, 3])
            #expect(answer.status == 200 && answer.headers?["content-type"] == ["application/grpc"])
            #expect(answer.messages == [[1, 2, 3]] && answer.dataFrames == 1)
            #expect(answer.trailers?.map { "\($0.name): \($0.value)" } == ["grpc-status: 0"])
            #expect(server.statistics.callsStarted == 1)
            try await eventually("nothing is in flight") { server.statistics.callsInFlight == 0 }
        }
    }

    @Test("a call is answered over a Unix socket as over TCP")
    func unixSocket() async throws {
        try await HTTPTestServer.withSocketPath { path in
            try await HTTPTestServer.run(.with { $0.address = .unix(path: path) }) { server in
                let client = try await HTTP2Client.connect(to: server.address)
                #expect(try await client.answer(to: TestMethods.echo, [7]).messages == [[7]])
                let who = try await client.answer(to: TestMethods.who).messages?.first ?? []
                #expect(String(decoding: who, as: UTF8.self).hasPrefix("unix uid="))
            }
        }
    }

    @Test("an answer without a byte is one empty message")
    func empty() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(to: TestMethods.echo)
            #expect(answer.messages == [[]] && answer.grpcStatus == .ok)
        }
    }

    @Test("an error is one head that is also the trailers, with its percent-encoded message and its details")
    func error() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(to: TestMethods.fail)
            #expect(answer.status == 200 && answer.trailers == nil && answer.body.isEmpty)
            #expect(answer.headers?["content-type"] == ["application/grpc"])
            #expect(answer.grpcStatus == .failedPrecondition)
            #expect(answer["grpc-message"] == "100 %25 %C3%BCbel")
            #expect(answer.details == TestMethods.failure.statusDetails && answer.has(reason: "thirteen"))
            #expect(answer["grpc-status-details-bin"]?.contains("=") == false)
        }
    }

    @Test("a path that is no method is UNIMPLEMENTED")
    func unknownMethod() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            for path in ["/test.Test/Nothing", "/", "/test.Test/Echo/"] {
                let answer = try await client.answer(to: path)
                #expect(answer.grpcStatus == .unimplemented && answer.has(reason: "unknown_method"), "\(path)")
            }
            #expect(server.statistics.refusedCalls == ["unknown_method": 3])
        }
    }

    @Test("a path is compared by its bytes, and not as texts are")
    func pathBytes() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            #expect(try await client.answer(to: TestMethods.listKeys).grpcStatus == .ok)
            // The sign of the kelvin, which is equal to K as a text: also to what compresses the header of a client's second request.
            let other = try await HTTP2Client.connect(to: server.address)
            let answer = try await other.answer(to: "/assay.v1.\u{212A}eys/List")
            #expect(answer.grpcStatus != .ok)
        }
    }

    // MARK: Streams

    @Test("a stream is answered by its messages and then the trailers")
    func stream() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(to: TestMethods.count, [3])
            #expect(answer.messages == [[1], [2], [3]] && answer.trailers != nil && answer.grpcStatus == .ok)
        }
    }

    @Test("a stream that fails after some messages has its error in the trailers")
    func failingStream() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(to: TestMethods.count, [20])
            #expect(answer.messages?.count == 12 && answer.headers?["grpc-status"] == [])
            #expect(answer.trailers?["grpc-status"] == ["9"] && answer.has(reason: "thirteen"))
        }
    }

    @Test("a stream whose client resets it is abandoned")
    func resetStream() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.call(TestMethods.pour)
            try await eventually("some messages come") { client.partial(stream).body.count > 100_000 }
            client.reset(stream)
            try await eventually("the handler hears of it") {
                server.calls.notes == ["\(RPCStatusCode.cancelled)"]
            }
            try await eventually("nothing is held") { server.statistics.callsInFlight == 0 }
            #expect(try await client.answer(to: TestMethods.echo, [1]).messages == [[1]], "the connection goes on")
        }
    }

    // MARK: The end before the answer

    @Test("a call whose deadline passes is answered DEADLINE_EXCEEDED, and its handler is told")
    func deadline() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(to: TestMethods.sleep, [], [("grpc-timeout", "3S")])
            #expect(answer.grpcStatus == .deadlineExceeded && answer.has(reason: "deadline_exceeded"))
            try await eventually("the handler hears of it") {
                server.calls.notes == ["asleep", "abandoned"]
            }
        }
    }

    @Test(
        "a timeout that is none, or one with too many digits, is refused",
        arguments: ["50", "50x", "m", "123456789m", "-1S", ""])
    func badTimeout(_ text: String) async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(to: TestMethods.echo, [], [("grpc-timeout", text)])
            #expect(answer.grpcStatus == .invalidArgument && answer.has(reason: "bad_timeout"))
        }
    }

    @Test("the longest timeout that the field can say is taken")
    func longTimeout() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(to: TestMethods.echo, [5], [("grpc-timeout", "99999999H")])
            #expect(answer.messages == [[5]])
        }
    }

    @Test("a call whose stream is reset is abandoned at once", arguments: [HTTP2ErrorCode.cancel, .noError])
    func cancel(_ code: HTTP2ErrorCode) async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.call(TestMethods.sleep)
            try await eventually("the handler waits") { server.calls.notes == ["asleep"] }
            client.reset(stream, code)
            try await eventually("the handler hears of it") {
                server.calls.notes == ["asleep", "abandoned"]
            }
            #expect(try await client.answer(to: TestMethods.echo, [1]).messages == [[1]], "the connection goes on")
            #expect(server.statistics.refusedCalls["cancelled"] == 1)
        }
    }

    // MARK: Compression

    @Test("a message that is compressed by gzip reaches the method inflated")
    func gzip() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let message = [UInt8](repeating: 7, count: 10_000)
            let stream = client.openCall(TestMethods.echo, [("grpc-encoding", "gzip")])
            client.send(Enveloped.bytes(try Gzipped.bytes(message), flags: 1), on: stream, isEnd: true)
            let answer = try await client.answer(stream)
            #expect(answer.messages == [message] && answer["grpc-encoding"] == nil)
            #expect(try await client.answer(to: TestMethods.echo, [1], [("grpc-encoding", "gzip")]).messages == [[1]])
            #expect(try await client.answer(to: TestMethods.echo, [2], [("grpc-encoding", "identity")]).messages == [[2]])
        }
    }

    @Test("a message that inflates beyond the longest is refused")
    func gzipBomb() async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxMessageBytes = 10_000 }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.openCall(TestMethods.echo, [("grpc-encoding", "gzip")])
            let bomb = try Gzipped.bytes([UInt8](repeating: 0, count: 1_000_000))
            client.send(Enveloped.bytes(bomb, flags: 1), on: stream, isEnd: true)
            let answer = try await client.answer(stream)
            #expect(answer.grpcStatus == .resourceExhausted && answer.has(reason: "message_too_large"))
        }
    }

    @Test(
        "a compression that is not known is UNIMPLEMENTED, before the message has come",
        arguments: ["br", "deflate", "GZIP,br"])
    func unknownCompression(_ encoding: String) async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(client.openCall(TestMethods.echo, [("grpc-encoding", encoding)]))
            #expect(answer.grpcStatus == .unimplemented && answer.has(reason: "unknown_compression"))
        }
    }

    @Test("a message that says it is compressed in a call that names no compression is refused")
    func compressedWithoutName() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.openCall(TestMethods.echo)
            client.send(Enveloped.bytes([1], flags: 1), on: stream, isEnd: true)
            #expect(try await client.answer(stream).has(reason: "unknown_compression"))
        }
    }

    // MARK: Bodies

    @Test("a message that is too long is refused by its length, before its body has come")
    func tooLong() async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxMessageBytes = 1000 }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.openCall(TestMethods.echo)
            client.send(Enveloped.prefix(1001), on: stream)
            let answer = try await client.answer(stream)
            #expect(answer.grpcStatus == .resourceExhausted && answer.has(reason: "message_too_large"))
            let longest = [UInt8](repeating: 1, count: 1000)
            #expect(try await client.answer(to: TestMethods.echo, longest).messages == [longest], "the connection goes on")
        }
    }

    @Test("a body that is too long by its content-length is refused before it has come")
    func tooLongByLength() async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxMessageBytes = 1000 }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let answer = try await client.answer(client.openCall(TestMethods.echo, [("content-length", "1006")]))
            #expect(answer.grpcStatus == .resourceExhausted && answer.has(reason: "message_too_large"))
        }
    }

    /// Bodies that are not one message, and the reason that each is refused by.
    static let badBodies: [(name: String, body: [UInt8], reason: String)] = [
        ("none", [], "not_one_message"),
        ("two messages", Enveloped.bytes([1]) + Enveloped.bytes([2]), "too_many_messages"),
        ("cut in the message", Array(Enveloped.bytes([1, 2, 3]).dropLast()), "undecodable_envelope"),
        ("cut in the length", [0, 0, 0], "undecodable_envelope"),
        ("a message and a part", Enveloped.bytes([1]) + [0], "undecodable_envelope"),
        ("unknown flags", Enveloped.bytes([1], flags: 4), "undecodable_envelope"),
    ]

    @Test("a body that is not one whole message is INVALID_ARGUMENT", arguments: badBodies.indices)
    func badBody(_ index: Int) async throws {
        let (name, body, reason) = Self.badBodies[index]
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.openCall(TestMethods.echo)
            client.send(body, on: stream, isEnd: true)
            let answer = try await client.answer(stream)
            #expect(answer.grpcStatus == .invalidArgument && answer.has(reason: reason), "\(name)")
            #expect(server.statistics.callsStarted == 0)
            try await eventually("nothing is held") { server.statistics.heldBytes == 0 }
        }
    }

    @Test("a message may come in frames of one byte")
    func singleBytes() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.openCall(TestMethods.echo)
            let bytes = Enveloped.bytes([1, 2, 3, 4, 5, 6, 7])
            for (index, byte) in bytes.enumerated() { client.send([byte], on: stream, isEnd: index == bytes.count - 1) }
            #expect(try await client.answer(stream).messages == [[1, 2, 3, 4, 5, 6, 7]])
        }
    }

    @Test("an answer that is too long is INTERNAL")
    func longAnswer() async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxMessageBytes = 1000 }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            #expect(try await client.answer(to: TestMethods.blob, [0, 0, 3, 232]).messages?.first?.count == 1000)
            let answer = try await client.answer(to: TestMethods.blob, [0, 0, 3, 233])
            #expect(answer.grpcStatus == .internalError && answer.has(reason: "reply_too_large"))
        }
    }
}
