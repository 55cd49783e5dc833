import AssayTesting
import NIOCore
import NIOPosix
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

@Suite("Client connection")
struct ClientTests {
    @Test("a client makes many calls at once, each with its own answer")
    func manyCalls() async throws {
        try await TestServer.run { server in
            let client = try await RPCConnection.connect(to: server.address)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let method = number.isMultiple(of: 2) ? TestServer.echo : TestServer.unaryEcho
                        let reply: Text = try await client.call(method, Text("\(number)"), timeout: .seconds(30))
                        #expect(reply.value == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await client.ping() > .zero)
            #expect(client.isOpen)
            await client.close()
            #expect(!client.isOpen)
            await #expect(throws: RPCError.connectionClosed) {
                let _: Text = try await client.call(TestServer.echo, Text("late"))
            }
        }
    }

    @Test("a client pipelines calls through callbacks")
    func pipelined() async throws {
        try await TestServer.run { server in
            let client = try await RPCConnection.connect(to: server.address)
            let good = Atomic(0)
            let message: [UInt8] = try Text("x").serializedBytes()
            for _ in 0..<50 {
                client.send(TestServer.echo, message: message) { result in
                    if case .success(message) = result { good.add(1, ordering: .relaxed) }
                }
            }
            try await eventually("all are answered") { good.load(ordering: .relaxed) == 50 }
            await client.close()
        }
    }

    @Test("a client passes errors on as the server gave them")
    func errors() async throws {
        try await TestServer.run { server in
            let client = try await RPCConnection.connect(to: server.address)
            await #expect(throws: RPCError.unknownMethod("/no")) { let _: Text = try await client.call("/no", Text("")) }
            await #expect(throws: RPCError.unanswered) {
                let _: Text = try await client.call(TestServer.forget, Text(""))
            }
            await #expect(throws: RPCError.messageTooLarge) {
                let _: Text = try await client.call(TestServer.echo, Text(String(repeating: "x", count: 1 << 20)))
            }
            await client.close()
        }
    }

    @Test("a client enforces its deadline without the server")
    func deadline() async throws {
        try await TestServer.run { server in
            let client = try await RPCConnection.connect(to: server.address)
            for timeout in [Duration.milliseconds(50), .zero] {
                await #expect(throws: RPCError.deadlineExceeded) {
                    let _: Text = try await client.call(TestServer.hold, Text(""), timeout: timeout)
                }
            }
            await client.close()
        }
        try await MuteServer.run { address in
            let client = try await RPCConnection.connect(to: address)
            await #expect(throws: RPCError.deadlineExceeded) {
                let _: Text = try await client.call(TestServer.echo, Text(""), timeout: .milliseconds(50))
            }
        }
    }

    @Test("a timeout that is only announced fails no call: the end of the connection does")
    func announcedDeadline() async throws {
        try await MuteServer.run { address in
            let client = try await RPCConnection.connect(to: address)
            let clock = ContinuousClock()
            let start = clock.now
            let task = Task {
                try await Task.sleep(for: .milliseconds(200))
                client.abort()
            }
            let error = await #expect(throws: RPCError.self) {
                let _: Text = try await client.call(
                    TestServer.echo, Text(""), timeout: .milliseconds(20), enforcesTimeout: false)
            }
            #expect(error?.reason == "connection_lost" && clock.now - start >= .milliseconds(200))
            await client.closed()
            #expect(!client.isOpen)
            try await task.value
        }
    }

    @Test("cancelling a client's task cancels its call")
    func cancellation() async throws {
        try await TestServer.run { server in
            let client = try await RPCConnection.connect(to: server.address)
            let task = Task { () throws -> Text in try await client.call(TestServer.sleep, Text("")) }
            try await eventually("it has begun") { server.held.notes == ["asleep"] }
            task.cancel()
            await #expect(throws: RPCError.cancelled) { try await task.value }
            try await eventually("the server has heard") { server.held.notes == ["asleep", "abandoned"] }
            await client.close()
        }
    }

    @Test("a client finishes its calls after GoAway, and takes no more")
    func goAway() async throws {
        try await TestServer.run { server in
            let client = try await RPCConnection.connect(to: server.address)
            let task = Task { () throws -> Text in try await client.call(TestServer.hold, Text("")) }
            try await eventually("it is held") { server.held.calls.count == 1 }
            async let stopped: Void = server.server.stop()
            try await eventually("the client knows") { !client.isOpen }
            await #expect(throws: RPCError.goAway("shutting_down")) {
                let _: Text = try await client.call(TestServer.echo, Text(""))
            }
            server.held.answerAll()
            #expect(try await task.value.value == "held")
            await stopped
        }
    }

    @Test("a client's calls fail when the connection is lost, and when there is no listener")
    func lost() async throws {
        try await MuteServer.run(closing: true) { address in
            let client = try await RPCConnection.connect(to: address)
            await #expect(throws: RPCError.connectionLost) { let _: Text = try await client.call(TestServer.echo, Text("")) }
            #expect(!client.isOpen)
            await #expect(throws: RPCError.connectionLost) { try await client.ping() }
        }
        let gone = RPCAddress.unix(path: socketPath())
        do {
            _ = try await RPCConnection.connect(to: gone)
            Issue.record("connected without a listener")
        } catch {
            #expect(error.code == .unavailable && error.reason == "connect_failed")
            #expect(error.message == "\(gone): there is no such socket (No such file or directory)")
        }
    }

    @Test("a client detects a server that does not answer pings")
    func keepAlive() async throws {
        var limits = RPCConnectionLimits()
        limits.keepAliveInterval = .milliseconds(50)
        limits.pongTimeout = .milliseconds(50)
        try await MuteServer.run { [limits] address in
            let client = try await RPCConnection.connect(to: address, limits: limits)
            await #expect(throws: RPCError.connectionLost) { let _: Text = try await client.call(TestServer.echo, Text("")) }
        }
        // Long enough for a server that is slow on a busy machine, and shorter than the wait.
        limits.pongTimeout = .seconds(10)
        try await TestServer.run { [limits] server in
            let client = try await RPCConnection.connect(to: server.address, limits: limits)
            try await Task.sleep(for: .seconds(12))
            #expect(client.isOpen)
            await client.close()
        }
    }

    @Test(
        "a client does not trust the server's bytes",
        arguments: [
            [0, 0, 0, 0], [0xff, 0xff, 0xff, 0xff], [0, 0, 0, 1, 0x0f], [0, 0, 0, 6, 0x08, 1, 0x1a, 2, 0x0a, 9],
        ] as [[UInt8]])
    func badServer(bytes: [UInt8]) async throws {
        try await MuteServer.run(saying: bytes) { address in
            let client = try await RPCConnection.connect(to: address)
            await #expect(throws: RPCError.protocolBroken) { let _: Text = try await client.call(TestServer.echo, Text("")) }
        }
    }

    @Test("a client ignores answers to calls that it did not make or that have ended")
    func strayAnswers() async throws {
        var stray = Frame()
        stray.callID = 4711
        stray.reply = .init()
        var item = Frame()
        item.callID = 4711
        item.item = .init()
        try await MuteServer.run(saying: try stray.wire + item.wire) { address in
            let client = try await RPCConnection.connect(to: address)
            await #expect(throws: RPCError.deadlineExceeded) {
                let _: Text = try await client.call(TestServer.echo, Text(""), timeout: .milliseconds(100))
            }
            #expect(client.isOpen)
        }
    }

    @Test("a client refuses calls while the server does not read")
    func sendBuffer() async throws {
        var limits = RPCConnectionLimits()
        limits.maxOutboundBytes = 1 << 20
        try await MuteServer.run(reading: false) { [limits] address in
            let client = try await RPCConnection.connect(to: address, limits: limits)
            let message = [UInt8](repeating: 1, count: 1_000_000)
            let refused = Atomic(0)
            for _ in 0..<40 {
                client.send(TestServer.echo, message: message) { result in
                    if case .failure(.sendBufferFull) = result { refused.add(1, ordering: .relaxed) }
                }
            }
            try await eventually("some are refused") { refused.load(ordering: .relaxed) > 10 }
        }
    }
}

/// A server that sends at most one sequence of bytes on each connection.
private enum MuteServer {
    static func run(
        saying bytes: [UInt8] = [], reading: Bool = true, closing: Bool = false, _ body: (RPCAddress) async throws -> Void
    ) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: reading)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Mute(bytes, closing))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(.tcp(host: "127.0.0.1", port: channel.localAddress?.port ?? 0))
        try await channel.close().get()
    }

    private final class Mute: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let bytes: [UInt8]
        private let closing: Bool

        init(_ bytes: [UInt8], _ closing: Bool) { (self.bytes, self.closing) = (bytes, closing) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if !bytes.isEmpty { context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil) }
            if closing { context.close(promise: nil) }
        }
    }
}
