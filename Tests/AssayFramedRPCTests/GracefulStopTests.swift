import AssayTesting
import Logging
import ServiceLifecycle
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

@Suite("Graceful stop")
struct GracefulStopTests {
    @Test("a graceful stop sends GoAway, finishes what is in flight, begins nothing new, and ends")
    func stop() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            let idle = try await RawPeer.connect(to: server.address)
            try await idle.say(Frame.pinging.wire)
            #expect(try await idle.hear()?.kind == .pong(.init()))
            try await peer.say(Frame.call(1, TestServer.hold).wire)
            try await eventually("the call is held") { server.held.calls.count == 1 }

            async let stopped: Void = server.server.stop()
            #expect(try await peer.hear()?.goAwayReason == "shutting_down")
            #expect(try await idle.hearAll().map(\.goAwayReason) == ["shutting_down"])
            try await peer.say(Frame.call(2, TestServer.echo).wire + Frame.pinging.wire)
            let refusal = try await peer.hear()
            #expect(refusal?.callID == 2 && refusal?.code == .unavailable && refusal?.reason == "going_away")
            #expect(try await peer.hear()?.kind == .pong(.init()))
            server.held.answerAll()
            #expect(try await peer.hearAll().map(\.text) == ["held"])
            await peer.close()
            await idle.close()
            await stopped
            #expect(server.statistics.openConnections == 0)
            await #expect(throws: (any Error).self) { try await RawPeer.connect(to: server.address) }
        }
    }

    @Test("a stopping server stops reading a peer that breaks the protocol")
    func faultWhileStopping() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, TestServer.hold).wire)
            try await eventually("the call is held") { server.held.calls.count == 1 }
            async let stopped: Void = server.server.stop()
            #expect(try await peer.hear()?.goAwayReason == "shutting_down")
            try await peer.say([0, 0, 0, 0] + Frame.call(2, TestServer.echo).wire)
            try await peer.say(Frame.call(3, TestServer.echo).wire)
            server.held.answerAll()
            #expect(try await peer.hearAll().map(\.text) == ["held"])
            await peer.close()
            await stopped
        }
    }

    @Test("a graceful stop waits for calls no longer than the drain timeout, and answers them then")
    func drainTimeout() async throws {
        var limits = RPCLimits.patient
        // Both together bound the end, so that a busy machine needs the second.
        (limits.drainTimeout, limits.lingerTimeout) = (.milliseconds(100), .seconds(3))
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, TestServer.hold).wire)
            try await eventually("the call is held") { server.held.calls.count == 1 }
            async let stopped: Void = server.server.stop()
            #expect(try await peer.hear()?.goAwayReason == "shutting_down")
            let answer = try await peer.hear()
            #expect(answer?.code == .unavailable && answer?.reason == "shutting_down")
            #expect(!server.held.calls.contains { !$0.isAbandoned })
            // The peer keeps its side open; the linger timeout ends that.
            await stopped
        }
    }

    @Test("graceful shutdown of the service group and cancellation stop the server gracefully")
    func service() async throws {
        for graceful in [true, false] {
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let front = FramedServer(addresses: [.tcp(host: "127.0.0.1", port: 0)], logger: logger, threads: 1)
            let server = RPCServer(
                RPCService(methods: [], state: ServingState(processors: 1, logger: logger)), fronts: [front])
            let address = try #require(try await server.start().first)
            let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
            let running = Task { try await group.run() }
            let peer = try await RawPeer.connect(to: address)
            try await peer.say(Frame.pinging.wire)
            #expect(try await peer.hear()?.kind == .pong(.init()))
            if graceful { await group.triggerGracefulShutdown() } else { running.cancel() }
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["shutting_down"])
            await peer.close()
            _ = await running.result
        }
    }

    private final class Token: Sendable {}

    /// Starts a service that holds a token, and has one connection served. Returns what tells whether the token still lives.
    private func serveToken(at front: FramedServer, _ logger: Logger) async throws -> () -> Token? {
        let token = Token()
        let methods = [RPCMethod(path: "/test", handler: .batch { _ in withExtendedLifetime(token) {} })]
        let service = RPCService(methods: methods, state: ServingState(processors: 1, logger: logger))
        let addresses = try await front.start(serving: service)
        let peer = try await RawPeer.connect(to: try #require(addresses.first))
        try await peer.say(Frame.pinging.wire)
        _ = try await peer.hear()
        await peer.close()
        return { [weak token] in token }
    }

    @Test("a stopped server keeps its counts and releases the service that it served")
    func release() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let front = FramedServer(addresses: [.tcp(host: "127.0.0.1", port: 0)], logger: logger, threads: 1)
        let token = try await serveToken(at: front, logger)
        #expect(token() != nil)
        await front.stop()
        try await eventually("the service is released") { token() == nil }
        #expect(front.statistics.acceptedConnections == 1 && front.statistics.openConnections == 0)
    }
}
