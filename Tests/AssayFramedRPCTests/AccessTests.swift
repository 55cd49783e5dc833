import AssayTesting
import Logging
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

/// A server that is told who its callers are. A connection belongs to the caller that was named last before it was made.
@Suite("Access", .timeLimit(.minutes(30)))
struct AccessTests {
    private final class Directory: Sendable {
        struct State {
            var name: String? = "a"
            var denied: Set<String> = []
            var version = 0
            var asked = 0
        }
        let state = Mutex(State())

        var asked: Int { state.withLock { $0.asked } }

        var access: RPCAccess {
            RPCAccess(
                caller: { _ in self.state.withLock { $0.name } },
                refusal: { _, method in
                    self.state.withLock { state in
                        state.asked += 1
                        return state.denied.contains(method)
                            ? RPCError(.permissionDenied, "no", reason: "permission_denied") : nil
                    }
                }, version: { self.state.withLock { $0.version } })
        }

        /// The state changes before the version does.
        func change(denied: Set<String>) {
            state.withLock { $0.denied = denied }
            state.withLock { $0.version += 1 }
        }
    }

    private let directory = Directory()

    private func connect(_ name: String?, to server: TestServer) async throws -> RawPeer {
        directory.state.withLock { $0.name = name }
        let peer = try await RawPeer.connect(to: server.address)
        try await peer.say(Frame.pinging.wire)
        _ = try await peer.hear()
        return peer
    }

    @Test("a call without permission is refused before admission, even when the server is full")
    func beforePlaces() async throws {
        var limits = RPCLimits.patient
        limits.maxInFlightTotal = 2
        directory.change(denied: [TestServer.echo])
        try await TestServer.run(limits, access: directory.access) { server in
            let peer = try await connect("a", to: server)
            for id: UInt64 in 1...2 { try await peer.say(Frame.call(id, TestServer.hold).wire) }
            try await eventually("two are held") { server.held.calls.count == 2 }
            try await peer.say(Frame.call(3, TestServer.echo).wire)
            #expect(try await peer.hear()?.reason == "permission_denied")
            try await peer.say(Frame.call(3, TestServer.hold).wire)
            #expect(try await peer.hear()?.reason == "overloaded")
            #expect(server.statistics.refusedCalls == ["permission_denied": 1, "overloaded": 1])
        }
    }

    @Test("a connection asks for each permission once, again after a change, and each time while it is refused")
    func memory() async throws {
        try await TestServer.run(access: directory.access) { server in
            let peer = try await connect("a", to: server)
            func call(_ method: String) async throws -> String? {
                try await peer.say(Frame.call(1, method, Text("in")).wire)
                let answer = try await peer.hear()
                return answer?.text ?? answer?.reason
            }
            for _ in 0..<3 { #expect(try await call(TestServer.echo) == "in") }
            #expect(directory.asked == 1)
            #expect(try await call(TestServer.unaryEcho) == "in")
            #expect(directory.asked == 2)
            directory.change(denied: [TestServer.echo])
            for _ in 0..<3 { #expect(try await call(TestServer.echo) == "permission_denied") }
            #expect(directory.asked == 5)
            #expect(try await call(TestServer.unaryEcho) == "in")
            directory.change(denied: [])
            #expect(try await call(TestServer.echo) == "in")
        }
    }

    @Test("one caller's calls are bounded over all its connections, and other callers keep their own bound")
    func perCaller() async throws {
        var limits = RPCLimits.patient
        limits.maxInFlightPerCaller = 4
        try await TestServer.run(limits, access: directory.access) { server in
            var peers: [RawPeer] = []
            for _ in 0..<4 {
                let peer = try await connect("flood", to: server)
                try await peer.say(Frame.call(1, TestServer.hold).wire)
                peers.append(peer)
            }
            try await eventually("four are held") { server.held.calls.count == 4 }
            let fifth = try await connect("flood", to: server)
            try await fifth.say(Frame.call(1, TestServer.echo).wire)
            let refusal = try await fifth.hear()
            #expect(refusal?.code == .resourceExhausted && refusal?.reason == "too_many_calls")
            #expect(refusal?.status?.retryAfterMs == 250)
            // Reconnecting does not help while the handlers have not released the calls.
            for peer in peers { try await peer.reset() }
            try await eventually("they have left") { server.statistics.openConnections == 1 }
            try await fifth.say(Frame.call(1, TestServer.echo).wire)
            #expect(try await fifth.hear()?.reason == "too_many_calls")
            let other = try await connect("honest", to: server)
            try await other.say(Frame.call(1, TestServer.echo, Text("served")).wire)
            #expect(try await other.hear()?.text == "served")
            server.held.answerAll()
            try await eventually("nothing is in flight") { server.statistics.callsInFlight == 0 }
            try await fifth.say(Frame.call(1, TestServer.echo, Text("served")).wire)
            #expect(try await fifth.hear()?.text == "served")
        }
    }

    @Test("the last calls are reserved for callers with few: a caller that takes as many as it can keeps no other out")
    func kept() async throws {
        var limits = RPCLimits.patient
        (limits.maxInFlightTotal, limits.maxInFlightPerConnection) = (128, 128)
        try await TestServer.run(limits, access: directory.access) { server in
            let flood = try await connect("flood", to: server)
            try await flood.say((1...128).flatMap { try Frame.call($0, TestServer.hold).wire })
            for _ in 0..<8 { #expect(try await flood.hear()?.reason == "overloaded") }
            for name in ["b", "c", "d"] {
                let other = try await connect(name, to: server)
                try await other.say(Frame.call(1, TestServer.echo, Text(name)).wire)
                #expect(try await other.hear()?.text == name)
            }
            #expect(server.statistics.callsInFlight == 120)
        }
    }

    // MARK: The log

    @Test("the log names each caller that is refused or breaks frames once in a period, and the statistics count all")
    func traces() async throws {
        let log = LogBook()
        var limits = RPCLimits.patient
        limits.maxInFlightTotal = 2
        try await TestServer.run(limits, access: directory.access, log: log) { server in
            let holder = try await connect("a", to: server)
            for id: UInt64 in 1...2 { try await holder.say(Frame.call(id, TestServer.hold).wire) }
            try await eventually("two are held") { server.held.calls.count == 2 }
            for name in ["b", "c", "b"] {
                let peer = try await connect(name, to: server)
                for id: UInt64 in 1...5 {
                    try await peer.say(Frame.call(id, TestServer.echo).wire)
                    #expect(try await peer.hear()?.reason == "overloaded")
                }
                try await peer.say([0, 0, 0, 0])
                #expect(try await peer.hear()?.goAwayReason == "empty_frame")
            }
            #expect(server.statistics.refusedCalls == ["overloaded": 15])
            #expect(server.statistics.endedConnections == ["empty_frame": 3])
        }
        let warnings = log.entries.filter { $0.level == .warning }
        let said = warnings.map { [$0.message, $0.metadata["reason"] ?? "", $0.metadata["caller"] ?? ""] }
        #expect(
            said == [
                ["refused a call", "overloaded", "b"], ["ended a connection", "empty_frame", "b"],
                ["refused a call", "overloaded", "c"], ["ended a connection", "empty_frame", "c"],
            ])
        #expect(warnings.allSatisfy { $0.metadata["peer"]?.hasPrefix("tcp 127.0.0.1") == true })
        #expect(warnings[2].metadata["held_back"] == "4")
    }

    @Test("the log names a client whose connection ends because it does not read")
    func slowReaders() async throws {
        let log = LogBook()
        var limits = RPCLimits.patient
        // The limit of waiting answers must not end the connection before the write timeout does.
        limits.maxOutboundBytes = 256 << 20
        limits.writeTimeout = .milliseconds(300)
        try await TestServer.run(limits, access: directory.access, log: log) { server in
            let peer = try await connect("slow", to: server)
            try await peer.setReading(false)
            for id: UInt64 in 1...100 { peer.shout(try Frame.call(id, TestServer.blob, Number(500_000)).wire) }
            try await eventually("the peer is given up") { server.statistics.endedConnections["write_timeout"] == 1 }
        }
        let line = log.entries.first { $0.level == .warning }
        #expect(line?.metadata["reason"] == "write_timeout" && line?.metadata["caller"] == "slow")
    }

    @Test("refusals for lack of capacity and broken frames are warnings; ordinary ends are not")
    func kinds() {
        let log = LogBook()
        let connections = ConnectionRegister(ConnectionLimits(), logger: log.logger)
        let calls = ServingState(processors: 1, logger: log.logger)
        let peer = RPCPeer.tcp(address: "192.0.2.1", port: 1, isLoopback: false)
        for reason in ["cancelled", "deadline_exceeded", "unknown_method", "permission_denied", "too_many_calls", "overloaded"]
        {
            calls.refused(because: reason, peer, .address(CountedAddress("192.0.2.1")))
        }
        for reason in GoAwayReason.allCases.map(\.rawValue) + ["write_timeout", "outbound_overflow", "reset"] {
            connections.ended(because: reason, ServerState.loggedEnds[reason], peer, .address(CountedAddress("192.0.2.1")))
        }
        #expect(log.entries.allSatisfy { $0.level == .warning })
        #expect(
            log.entries.compactMap { $0.metadata["reason"] } == [
                "too_many_calls", "overloaded", "empty_frame", "frame_too_large", "undecodable_frame", "call_id_zero",
                "duplicate_call_id", "frame_timeout", "too_many_connections", "overloaded", "write_timeout",
                "outbound_overflow",
            ])
    }
}
