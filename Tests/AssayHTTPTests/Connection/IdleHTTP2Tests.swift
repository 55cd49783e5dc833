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

/// Connections of HTTP/2 before their first call, and how they become whole.
@Suite("HTTP/2 before the first call", .timeLimit(.minutes(30)))
struct IdleHTTP2Tests {
    private static let beginning = RawFrames.preface + RawFrames.settings
    private static let message = Enveloped.bytes([7])

    private static func call(_ stream: UInt32, _ path: String = TestMethods.echo) -> [UInt8] {
        RawFrames.call(stream, path) + RawFrames.data(stream, message)
    }

    private func frames(_ client: RawClient) -> [RawFrames.Frame] { RawFrames.all(in: client.bytes) }
    private func goAways(_ client: RawClient) -> [RawFrames.Frame] { frames(client).filter { $0.type == 7 } }

    private func answered(_ client: RawClient, _ stream: UInt32) async throws {
        try await eventually("call \(stream) is answered") {
            frames(client).contains { $0.type == 0 && $0.stream == stream && $0.payload == Self.message }
        }
    }

    /// Connects, and says the beginning alone.
    private func idle(_ server: HTTPTestServer) async throws -> RawClient {
        let client = try await RawClient.connect(to: server.address)
        try await client.say(Self.beginning)
        try await eventually("three frames come") { frames(client).count >= 3 }
        return client
    }

    /// What a client sees of the beginning: the settings first and once, the window of the connection once, and as many acknowledgements as it
    /// has sent settings.
    private func expectOneBeginning(_ client: RawClient, settings: Int, _ comment: Comment? = nil) {
        let frames = frames(client)
        #expect(frames.first?.type == 4 && frames.first?.flags == 0, comment)
        #expect(frames.count { $0.type == 4 && $0.flags == 0 } == 1, comment)
        #expect(frames.count { $0.type == 4 && $0.flags == 1 } == settings, comment)
        let updates = frames.filter { $0.type == 8 && $0.stream == 0 }.map(\.number)
        let widening = (4 << 20) - 65_535
        #expect(updates == [widening], comment)
    }

    // MARK: The first call

    @Test("NIO's handler is made with the first call, and not before")
    func handler() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let calls = TestCalls()
        let service = RPCService(
            methods: TestMethods.all(calls), access: .open, state: ServingState(CallLimits(), processors: 2, logger: logger))
        let register = ConnectionRegister(ConnectionLimits(), logger: logger)
        let served = HTTPProtocol(
            server: HTTPServerState(
                limits: HTTPLimits(), settings: HTTPSettings(), service: service, register: register, resources: [],
                health: HealthRegister()), withoutCertificates: [])
        let accepted = Accepted()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    accepted.channel.withLock { $0 = channel }
                    try served.serve(
                        AcceptedConnection(
                            channel: channel, peer: .unix(userID: 1, groupID: 1, processID: 1), certificate: nil))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        func hasHandler() async throws -> Bool {
            let channel = try #require(accepted.channel.withLock { $0 })
            return (try? await channel.pipeline.containsHandler(type: NIOHTTP2Handler.self).get()) != nil
        }

        let port = try #require(listener.localAddress?.port)
        let client = try await RawClient.connect(to: .tcp(host: "127.0.0.1", port: port))
        try await client.say(Self.beginning + RawFrames.settingsAcknowledged + RawFrames.windowUpdate(by: 1))
        try await eventually("three frames come") { frames(client).count == 3 }
        #expect(try await !hasHandler())
        try await client.say(RawFrames.settings)
        try await eventually("they are acknowledged") { frames(client).count == 4 }
        #expect(try await !hasHandler())

        try await client.say(Self.call(1))
        try await answered(client, 1)
        #expect(try await hasHandler())
        await client.close()
        try await listener.close().get()
    }

    private final class Accepted: Sendable {
        let channel = Mutex((any Channel)?.none)
    }

    @Test("wherever its bytes are cut, a client sees one beginning, and its calls are answered")
    func everyCut() async throws {
        try await HTTPTestServer.run { server in
            let first: [UInt8] =
                Self.beginning + RawFrames.windowUpdate(by: 1000) + RawFrames.settings + RawFrames.settingsAcknowledged
                + Self.call(1)
            // Some at once: one after the other they would wait for the rest of the machine three times each.
            try await withThrowingTaskGroup { group in
                for worker in 0..<Self.workers {
                    group.addTask {
                        for cut in stride(from: worker, to: first.count, by: Self.workers) {
                            try await expectAnswers(server, first, cutAt: cut)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.statistics.endedConnections.isEmpty)
        }
    }

    private static let workers = 16

    private func expectAnswers(_ server: HTTPTestServer, _ first: [UInt8], cutAt cut: Int) async throws {
        let client = try await RawClient.connect(to: server.address)
        try await client.say(Array(first.prefix(cut)))
        if cut >= RawFrames.preface.count {
            try await eventually("the beginning comes") { frames(client).count >= 2 }
        }
        try await client.say(Array(first.dropFirst(cut)))
        try await answered(client, 1)
        try await client.say(Self.call(3))
        try await answered(client, 3)
        expectOneBeginning(client, settings: 2, "cut at \(cut)")
        #expect(goAways(client).isEmpty, "cut at \(cut)")
        await client.close()
    }

    @Test("what a client said before its first call holds for it")
    func keptSettings() async throws {
        try await HTTPTestServer.run { server in
            let client = try await idle(server)
            // SETTINGS_INITIAL_WINDOW_SIZE: none.
            try await client.say(RawFrames.frame(type: 4, [0, 4, 0, 0, 0, 0]))
            try await eventually("they are acknowledged") { frames(client).count == 4 }
            try await client.say(Self.call(1))
            try await eventually("the head comes") { frames(client).contains { $0.type == 1 } }
            #expect(!frames(client).contains { $0.type == 0 })
            try await client.say(RawFrames.windowUpdate(of: 1, by: 100))
            try await answered(client, 1)
            expectOneBeginning(client, settings: 2)
        }
    }

    @Test("a first call may use the wide window of its connection at once")
    func window() async throws {
        try await HTTPTestServer.run { server in
            let client = try await idle(server)
            let message = Enveloped.bytes([UInt8](repeating: 1, count: 200_000))
            let parts = stride(from: 0, to: message.count, by: 16_000).flatMap { start in
                let end = min(start + 16_000, message.count)
                return RawFrames.data(1, Array(message[start..<end]), isEnd: end == message.count)
            }
            try await client.say(RawFrames.settingsAcknowledged + RawFrames.call(1, TestMethods.fail) + parts)
            try await eventually("it is answered") {
                frames(client).contains { $0.type == 1 && $0.stream == 1 && $0.flags & 1 == 1 }
            }
            #expect(goAways(client).isEmpty && server.statistics.endedConnections.isEmpty)
        }
    }

    @Test("a PING before the first call is answered")
    func ping() async throws {
        try await HTTPTestServer.run { server in
            let client = try await idle(server)
            try await client.say(RawFrames.ping(9))
            try await eventually("it is answered") {
                frames(client).contains { $0.type == 6 && $0.flags == 1 && $0.payload.last == 9 }
            }
            try await client.say(Self.call(1))
            try await answered(client, 1)
            expectOneBeginning(client, settings: 1)
        }
    }

    @Test("more settings than are kept are acknowledged one by one all the same")
    func manySettings() async throws {
        try await HTTPTestServer.run { server in
            let client = try await idle(server)
            for _ in 0..<60 { try await client.say(RawFrames.settings) }
            try await client.say(Self.call(1))
            try await answered(client, 1)
            expectOneBeginning(client, settings: 61)
        }
    }

    // MARK: Faults

    @Test("a client that breaks the protocol before its first call is told so and ended")
    func faults() async throws {
        let faults: [(name: String, bytes: [UInt8])] = [
            ("data on no stream", RawFrames.frame(type: 0, flags: 1, stream: 0, [1])),
            ("settings that are too long", [0, 0x4e, 0x20, 4, 0, 0, 0, 0, 0]),
            ("settings of five bytes", RawFrames.frame(type: 4, [0, 1, 0, 0, 0])),
            ("a value that is none", RawFrames.frame(type: 4, [0, 2, 0, 0, 0, 2])),
            ("an even stream", RawFrames.call(2, TestMethods.echo, isEnd: true)),
            ("an empty increment", RawFrames.windowUpdate(by: 0)),
            ("a window beyond the widest", RawFrames.windowUpdate(by: 0x7fff_ffff)),
            ("a second acknowledgement", RawFrames.settingsAcknowledged + RawFrames.settingsAcknowledged),
        ]
        for (name, bytes) in faults {
            try await HTTPTestServer.run { server in
                let client = try await idle(server)
                client.shout(bytes)
                try await client.end()
                #expect(!goAways(client).isEmpty, "\(name)")
                #expect(server.statistics.endedConnections == ["protocol_error": 1], "\(name)")
                expectOneBeginning(client, settings: 1, "\(name)")
            }
        }
    }

    @Test("a client whose first frame is not its settings is ended")
    func firstFrame() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            client.shout(RawFrames.preface + RawFrames.windowUpdate(by: 1))
            try await client.end()
            #expect(!goAways(client).isEmpty && server.statistics.endedConnections == ["protocol_error": 1])
        }
    }

    @Test("a wrong preface is not answered as HTTP/2")
    func wrongPreface() async throws {
        try await HTTPTestServer.run(.with { $0.limits.headTimeout = .seconds(2) }) { server in
            let client = try await RawClient.connect(to: server.address)
            client.shout(Array("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".utf8) + RawFrames.settings)
            try await client.end()
            #expect(frames(client).isEmpty)
        }
    }

    // MARK: The end

    @Test("a connection without a call is closed after the head timeout, and told so")
    func headTimeout() async throws {
        try await HTTPTestServer.run(.with { $0.limits.headTimeout = .seconds(5) }) { server in
            let client = try await idle(server)
            try await client.say(RawFrames.settingsAcknowledged)
            try await client.end()
            let goAways = goAways(client)
            #expect(goAways.map(\.number) == [0])
            #expect(goAways.first?.payload.dropFirst(4).elementsEqual([0, 0, 0, 0] + "head_timeout".utf8) == true)
            #expect(server.statistics.endedConnections == ["head_timeout": 1])
            await client.close()
            try await eventually("it is gone") { server.statistics.openConnections == 0 }
        }
    }

    @Test(
        "a server that stops says so twice to a client without a call, as the client answers the PING or does not",
        arguments: [true, false])
    func gracefulStop(_ answers: Bool) async throws {
        let setup = HTTPTestServer.Setup.with {
            if answers { ($0.limits.goAwayTimeout, $0.limits.drainTimeout) = (.seconds(60), .seconds(60)) }
        }
        try await HTTPTestServer.run(setup) { server in
            let client = try await idle(server)
            async let stopped: Void = server.front.stop()
            try await eventually("it is asked") {
                frames(client).contains { $0.type == 6 && $0.flags == 0 }
            }
            if answers {
                #expect(goAways(client).map(\.number) == [RawFrames.lastStream])
                let question = try #require(frames(client).first { $0.type == 6 })
                try await client.say(RawFrames.frame(type: 6, flags: 1, question.payload))
            }
            try await client.end()
            await stopped
            #expect(goAways(client).map(\.number) == [RawFrames.lastStream, 0])
            #expect(goAways(client).allSatisfy { $0.payload.dropFirst(4).elementsEqual([0, 0, 0, 0] + "shutting_down".utf8) })
            expectOneBeginning(client, settings: 1)
            #expect(server.statistics.endedConnections == ["shutting_down": 1])
        }
    }

    @Test("a first call that crosses the server's GOAWAY is done")
    func crossingCall() async throws {
        let setup = HTTPTestServer.Setup.with {
            $0.limits.goAwayTimeout = .seconds(60)
            $0.limits.drainTimeout = .seconds(60)
        }
        try await HTTPTestServer.run(setup) { server in
            let client = try await idle(server)
            async let stopped: Void = server.front.stop()
            try await eventually("it is asked") {
                frames(client).contains { $0.type == 6 && $0.flags == 0 }
            }
            try await client.say(Self.call(1))
            try await answered(client, 1)
            #expect(goAways(client).map(\.number) == [RawFrames.lastStream])
            let question = try #require(frames(client).first { $0.type == 6 })
            try await client.say(RawFrames.frame(type: 6, flags: 1, question.payload))
            try await client.end()
            await stopped
            #expect(goAways(client).map(\.number) == [RawFrames.lastStream, 1])
            expectOneBeginning(client, settings: 1)
            #expect(server.statistics.endedConnections == ["shutting_down": 1])
        }
    }

    @Test("a client without a call that says it leaves, or shuts its side, is let go", arguments: [true, false])
    func clientLeaves(_ says: Bool) async throws {
        try await HTTPTestServer.run { server in
            let client = try await idle(server)
            if says {
                try await client.say(RawFrames.frame(type: 7, [0, 0, 0, 0, 0, 0, 0, 0]))
                try await eventually("the server leaves too") { goAways(client).count == 1 }
            } else {
                try await client.shutOutput()
            }
            try await client.end()
            await client.close()
            try await eventually("it is gone") { server.statistics.openConnections == 0 }
            #expect(server.statistics.endedConnections == (says ? ["client_leaving": 1] : [:]))
        }
    }

    @Test("bytes are counted once, in both directions")
    func bytes() async throws {
        try await HTTPTestServer.run { server in
            let client = try await idle(server)
            try await eventually("the beginning is counted") { server.statistics.bytesSent == client.bytes.count }
            #expect(server.statistics.bytesReceived == Self.beginning.count)
            try await client.say(Self.call(1))
            try await answered(client, 1)
            try await eventually("all is counted") { server.statistics.bytesSent == client.bytes.count }
            #expect(server.statistics.bytesReceived == Self.beginning.count + Self.call(1).count)
        }
    }
}
