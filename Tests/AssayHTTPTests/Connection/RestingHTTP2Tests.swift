import AssayTesting
import Logging
import NIOCore
import NIOHTTP2
import NIOPosix
import Synchronization
import Testing

@testable import AssayHTTP
@testable import AssayListening
@testable import AssayRPC

/// Connections of HTTP/2 that give their memory back between calls, and go on as if nothing had been.
@Suite("HTTP/2 between calls", .timeLimit(.minutes(30)))
struct RestingHTTP2Tests {
    private static let beginning = RawFrames.preface + RawFrames.settings + RawFrames.settingsAcknowledged
    private static let message = Enveloped.bytes([7])

    /// A head that adds its path and its content type to the table, and one that takes both from there.
    private static func head(_ stream: UInt32, isFirst: Bool) -> [UInt8] {
        func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }
        let first =
            [0x83, 0x86, 0x44] + text(TestMethods.echo) + [0x41] + text("localhost") + [0x5f] + text("application/grpc")
        return RawFrames.frame(type: 1, flags: 4, stream: stream, isFirst ? first : [0x83, 0x86, 0xc0, 0xbf, 0xbe])
    }

    private func frames(_ client: RawClient) -> [RawFrames.Frame] { RawFrames.all(in: client.bytes) }

    private func call(_ client: RawClient, _ stream: UInt32, _ message: [UInt8] = Self.message, isFirst: Bool = false)
        async throws
    {
        try await client.say(Self.head(stream, isFirst: isFirst) + RawFrames.data(stream, message))
        try await answered(client, stream, message)
    }

    private func answered(_ client: RawClient, _ stream: UInt32, _ message: [UInt8]) async throws {
        try await eventually("call \(stream) is answered") {
            frames(client).contains { $0.type == 1 && $0.stream == stream && $0.flags == 5 }
        }
        let answer = frames(client).filter { $0.type == 0 && $0.stream == stream }.flatMap(\.payload)
        #expect(answer == message)
    }

    /// A rest is seen by what it gives back of the window of the connection. There are more rests where a test waits between its calls.
    private func rest(_ client: RawClient, times: Int) async throws {
        try await eventually("the connection rests") {
            frames(client).count { $0.type == 8 && $0.stream == 0 } >= times + 1
        }
    }

    private static let restsSoon = HTTPTestServer.Setup.with {
        ($0.limits.restTime, $0.limits.restTimeWithoutRequest) = (.milliseconds(20), .milliseconds(100))
    }

    // MARK: The handler

    @Test("a connection has no handler of NIO while it rests, and has one again with the next bytes")
    func handler() async throws {
        let server = Served(restTime: .milliseconds(20))
        let listener = try await server.listen()
        let client = try await RawClient.connect(to: .tcp(host: "127.0.0.1", port: try #require(listener.localAddress?.port)))
        try await client.say(Self.beginning)
        for stream in stride(from: UInt32(1), to: 9, by: 2) {
            try await call(client, stream, isFirst: stream == 1)
            try await eventually("the handler is gone") { try await !server.hasHandler() }
        }
        try await client.say(RawFrames.ping())
        try await eventually("the ping is answered") { frames(client).contains { $0.type == 6 } }
        #expect(try await server.hasHandler())
        await client.close()
        try await listener.close().get()
    }

    @Test("a connection with a call in flight does not rest")
    func inFlight() async throws {
        // A rest may be tried before the last call has left the dispatcher: then it is tried again.
        let server = Served(restTime: .milliseconds(20), again: .milliseconds(100))
        let listener = try await server.listen()
        let port = try #require(listener.localAddress?.port)
        let client = try await HTTP2Client.connect(to: .tcp(host: "127.0.0.1", port: port))
        let held = client.call(TestMethods.hold)
        for _ in 0..<20 {
            _ = try await client.answer(to: TestMethods.echo)
            #expect(try await server.hasHandler())
        }
        server.calls.answerAll()
        #expect(try await client.answer(held).grpcStatus == .ok)
        try await eventually("the handler is gone") { try await !server.hasHandler() }
        await client.close()
        try await listener.close().get()
    }

    private final class Served: Sendable {
        let calls = TestCalls()
        private let channel = Mutex((any Channel)?.none)
        private let served: HTTPProtocol

        init(restTime: Duration, again: Duration = .seconds(30)) {
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let service = RPCService(
                methods: TestMethods.all(calls), access: .open, state: ServingState(CallLimits(), processors: 2, logger: logger)
            )
            var limits = HTTPLimits()
            (limits.restTime, limits.restTimeWithoutRequest) = (restTime, again)
            let register = ConnectionRegister(ConnectionLimits(), logger: logger)
            served = HTTPProtocol(
                server: HTTPServerState(
                    limits: limits, settings: HTTPSettings(), service: service, register: register, resources: [],
                    health: HealthRegister()), withoutCertificates: [])
        }

        func listen() async throws -> any Channel {
            try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        self.channel.withLock { $0 = channel }
                        try self.served.serve(
                            AcceptedConnection(
                                channel: channel, peer: .unix(userID: 1, groupID: 1, processID: 1), certificate: nil))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
        }

        func hasHandler() async throws -> Bool {
            let channel = try #require(channel.withLock { $0 })
            return (try? await channel.pipeline.containsHandler(type: NIOHTTP2Handler.self).get()) != nil
        }
    }

    // MARK: What goes on

    @Test("calls after rests are answered, also by heads that refer to those before; a client sees one beginning")
    func calls() async throws {
        try await HTTPTestServer.run(Self.restsSoon) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(Self.beginning)
            for (rests, stream) in stride(from: UInt32(1), to: 21, by: 2).enumerated() {
                try await call(client, stream, isFirst: stream == 1)
                try await rest(client, times: rests + 1)
            }
            let seen = frames(client)
            #expect(seen.count { $0.type == 4 } == 2 && !seen.contains { $0.type == 3 || $0.type == 7 })
            #expect(server.statistics.endedConnections.isEmpty)
        }
    }

    @Test("what a client has given of its window is what it gets, before and after a rest", arguments: [0, 1000])
    func window(more: Int) async throws {
        try await HTTPTestServer.run(Self.restsSoon) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(Self.beginning + (more > 0 ? RawFrames.windowUpdate(by: UInt32(more)) : []))
            try await call(client, 1, Enveloped.bytes(Array(repeating: 1, count: 995)), isFirst: true)
            try await rest(client, times: 1)
            let long = Enveloped.bytes(Array(repeating: 2, count: 70_000))
            try await client.say(Self.head(3, isFirst: false) + RawFrames.windowUpdate(of: 3, by: 60_000))
            for start in stride(from: 0, to: long.count, by: 10_000) {
                let end = min(start + 10_000, long.count)
                try await client.say(RawFrames.data(3, Array(long[start..<end]), isEnd: end == long.count))
            }
            func received() -> Int { frames(client).filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count } }
            try await eventually("the window is used") { received() >= 65_535 + more }
            // A PING is answered behind all that was written.
            try await client.say(RawFrames.ping())
            try await eventually("the ping is answered") { frames(client).contains { $0.type == 6 } }
            #expect(received() == 65_535 + more)
            try await client.say(RawFrames.windowUpdate(by: 100_000))
            try await eventually("the rest comes") { received() == 1000 + long.count }
        }
    }

    @Test("a connection whose client lets less pass on a stream than was sent does not rest, and serves its calls")
    func narrowStreams() async throws {
        try await HTTPTestServer.run(Self.restsSoon) { server in
            let client = try await RawClient.connect(to: server.address)
            let settings = RawFrames.frame(type: 4, [0, 4, 0, 0, 0, 10])
            try await client.say(RawFrames.preface + settings + RawFrames.settingsAcknowledged)
            for stream in stride(from: UInt32(1), to: 21, by: 2) { try await call(client, stream, isFirst: stream == 1) }
            #expect(server.statistics.endedConnections.isEmpty)
        }
    }

    @Test("a new table of the client is known after a rest")
    func tableSize() async throws {
        try await HTTPTestServer.run(Self.restsSoon) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(Self.beginning)
            try await call(client, 1, isFirst: true)
            try await rest(client, times: 1)
            // Empties the table, and makes it as large as it was.
            let head = Array(Self.head(3, isFirst: true).dropFirst(9))
            let frame = RawFrames.frame(type: 1, flags: 4, stream: 3, [0x20, 0x3f, 0xe1, 0x1f] + head)
            try await client.say(frame + RawFrames.data(3, Self.message))
            try await rest(client, times: 2)
            try await call(client, 5)
            try await rest(client, times: 3)
            #expect(server.statistics.endedConnections.isEmpty)
        }
    }

    @Test("a connection whose heads are too many to keep goes on without rests")
    func manyHeads() async throws {
        try await HTTPTestServer.run(Self.restsSoon) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            for number in 0..<60 {
                let fields = [("x-number", "\(number)" + String(repeating: "x", count: 60))]
                #expect(try await client.answer(to: TestMethods.echo, [7], fields).messages == [[7]])
            }
            #expect(server.statistics.endedConnections.isEmpty)
        }
    }

    /// What wakes a connection and is more than is kept of it.
    enum TooMuch: CaseIterable, Sendable {
        case manyHeads, longHead, headInParts

        /// A head that adds to the table.
        func head(_ stream: UInt32) -> [UInt8] {
            let value: [UInt8] = self == .longHead && stream > 1 ? [0x7f, 0xf1, 0x10] + zeros(2288) : [100] + zeros(100)
            let whole = RestingHTTP2Tests.head(stream, isFirst: true) + [0x40, 1] + "x".utf8 + value
            let frame = RawFrames.frame(type: 1, flags: 4, stream: stream, Array(whole.dropFirst(9)))
            return self == .headInParts && stream > 1 ? RawFrames.inContinuations(frame, pieces: 2) : frame
        }

        private func zeros(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: "0"), count: count) }
    }

    @Test(
        "a call that is more than is kept wakes a connection that rests; it goes on without rests", arguments: TooMuch.allCases)
    func tooMuch(_ tooMuch: TooMuch) async throws {
        try await HTTPTestServer.run(Self.restsSoon) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(Self.beginning)
            var (kept, rests) = (0, 0)
            for stream in stride(from: UInt32(1), to: 35, by: 2) {
                let head = tooMuch.head(stream)
                try await client.say(head + RawFrames.data(stream, Self.message))
                try await answered(client, stream, Self.message)
                kept += stream > 1 && tooMuch != .manyHeads ? .max / 100 : head.count - 9 + 2
                guard kept <= FrameHistory.mostBlockBytes else { continue }
                rests += 1
                try await rest(client, times: rests)
            }
            #expect(tooMuch == .manyHeads ? (2..<16).contains(rests) : rests == 1)
            #expect(server.statistics.endedConnections.isEmpty)
        }
    }

    // MARK: The end

    @Test("a server that stops tells a connection that rests, and names its last call")
    func stop() async throws {
        try await HTTPTestServer.run(Self.restsSoon) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(Self.beginning)
            try await call(client, 1, isFirst: true)
            try await call(client, 3)
            try await rest(client, times: 1)
            await server.front.stop()
            try await client.end()
            let goAways = frames(client).filter { $0.type == 7 }
            #expect(goAways.map(\.number) == [RawFrames.lastStream, 3])
        }
    }

    @Test("frames for the last stream, which has ended, do no harm after a rest")
    func endedStream() async throws {
        try await HTTPTestServer.run(Self.restsSoon) { server in
            let client = try await RawClient.connect(to: server.address)
            try await client.say(Self.beginning)
            try await call(client, 1, isFirst: true)
            try await call(client, 3)
            try await rest(client, times: 1)
            try await client.say(RawFrames.windowUpdate(of: 3, by: 1) + RawFrames.reset(3))
            try await call(client, 5)
            #expect(server.statistics.endedConnections.isEmpty)
        }
    }
}
