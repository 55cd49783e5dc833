import SwiftProtobuf
import Testing

@testable import AssayRPC

@Suite("Timeout")
struct TimeoutTests {
    @Test("sends away a peer that says nothing after connecting")
    func firstFrame() async throws {
        var limits = RPCLimits()
        limits.firstFrameTimeout = .milliseconds(50)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["first_frame_timeout"])
        }
    }

    @Test("of the first frame holds for a peer that has sent a part of it")
    func firstFrameInPart() async throws {
        var limits = RPCLimits()
        limits.firstFrameTimeout = .milliseconds(1500)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            let wire = try Frame.call(1, TestServer.echo).wire
            try await peer.say(wire.prefix(1))
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["first_frame_timeout"])
            // After a whole frame the next one has the time of any frame.
            let other = try await RawPeer.connect(to: server.address)
            try await other.say(wire + wire.prefix(1))
            #expect(try await other.hear()?.text == "hello")
            try await Task.sleep(for: .milliseconds(2000))
            #expect(!other.hasEnded)
        }
    }

    @Test("sends away a peer that writes a frame drop by drop")
    func slowWriter() async throws {
        var limits = RPCLimits()
        limits.frameTimeout = .milliseconds(150)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            let wire = try Frame.call(1, TestServer.echo, Text(String(repeating: "x", count: 1000))).wire
            let writer = Task {
                for byte in wire {
                    try await peer.say([byte])
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
            #expect(try await peer.hear()?.goAwayReason == "frame_timeout")
            #expect(try await peer.hear() == nil)
            writer.cancel()
            try await eventually("nothing is held") { server.statistics.heldBytes == 0 }
        }
    }

    @Test("sends away a peer that has become silent, but not while it waits for an answer")
    func idle() async throws {
        var limits = RPCLimits()
        limits.idleTimeout = .milliseconds(80)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, TestServer.hold).wire)
            try await Task.sleep(for: .milliseconds(250))
            #expect(!peer.hasEnded)
            server.held.answerAll()
            #expect(try await peer.hear()?.text == "held")
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["idle_timeout"])
        }
    }

    @Test("closes the connection of a peer that vanished, without its help")
    func vanished() async throws {
        var limits = RPCLimits()
        limits.idleTimeout = .milliseconds(50)
        limits.drainTimeout = .milliseconds(50)
        limits.lingerTimeout = .milliseconds(50)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.pinging.wire)
            try await peer.setReading(false)
            try await eventually("the connection is closed") { server.statistics.openConnections == 0 }
            #expect(server.statistics.endedConnections == ["idle_timeout": 1])
        }
    }

    @Test(
        "of a call answers DEADLINE_EXCEEDED while the handler still works, and drops its answer",
        arguments: [
            TestServer.hold, TestServer.sleep,
        ])
    func deadline(method: String) async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            let start = ContinuousClock.now
            try await peer.say(Frame.call(1, method, timeout: 1500).wire)
            try await eventually("it has begun") { server.held.calls.count == 1 || server.held.notes == ["asleep"] }
            let answer = try await peer.hear()
            #expect(answer?.callID == 1 && answer?.code == .deadlineExceeded && answer?.reason == "deadline_exceeded")
            #expect(ContinuousClock.now - start >= .milliseconds(1500))
            if method == TestServer.hold {
                #expect(!server.held.calls.contains { !$0.isAbandoned })
                server.held.answerAll()
            } else {
                try await eventually("the task was cancelled") { server.held.notes == ["asleep", "abandoned"] }
            }
            try await eventually("nothing is in flight") { server.statistics.callsInFlight == 0 }
            try await peer.say(Frame.call(1, TestServer.echo, Text("next")).wire)
            #expect(try await peer.hear()?.text == "next")
        }
    }

    /// The handler often notices before the timer does, which may be some milliseconds late.
    @Test("of a call that its handler gives up is DEADLINE_EXCEEDED, never INTERNAL")
    func deadlineBeforeTheTimer() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            for id: UInt64 in 1...30 {
                try await peer.say(Frame.call(id, TestServer.giveUp, timeout: 10 + UInt32(id)).wire)
                let answer = try await peer.hear()
                #expect(answer?.callID == id && answer?.reason == "deadline_exceeded")
            }
        }
    }

    @Test("of more than 32 bits is refused and not cut")
    func longTimeout() async throws {
        let call = try Frame.call(1, TestServer.echo)
        // timeout_ms = 2^32 + 1000, which cut to 32 bits is a second.
        let timeout: [UInt8] = [0x18, 0xe8, 0x87, 0x80, 0x80, 0x10]
        func frame(_ id: UInt8, _ fields: [UInt8]) throws -> [UInt8] {
            let body = try call.call.serializedBytes() as [UInt8] + fields
            return Frame.wire([0x08, id, 0x12, UInt8(body.count)] + body)
        }
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(frame(1, timeout))
            let refusal = try await peer.hear()
            #expect(refusal?.callID == 1 && refusal?.code == .invalidArgument && refusal?.reason == "timeout_too_long")
            // The longest that there is, and the connection goes on.
            try await peer.say(frame(2, [0x18, 0xff, 0xff, 0xff, 0xff, 0x0f]))
            #expect(try await peer.hear()?.text == "hello")
            #expect(server.statistics.refusedCalls == ["timeout_too_long": 1])
        }
    }

    @Test("of many calls is kept in the order of the deadlines, not of the calls")
    func deadlines() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            // In one burst, so that all are counted from one instant.
            let timeouts: [(UInt64, UInt32)] = [(1, 60_000), (2, 900), (3, 100), (4, 500)]
            try await peer.say(timeouts.flatMap { try Frame.call($0, TestServer.hold, timeout: $1).wire })
            var order: [UInt64] = []
            while order.count < 3, let frame = try await peer.hear() { order.append(frame.callID) }
            #expect(order == [3, 4, 2])
        }
    }

    @Test("that has passed before the work begins keeps it from beginning")
    func passedBefore() async throws {
        let call = RPCCall(method: "/m", message: [], peer: .unix(userID: 0, groupID: 0, processID: 1), timeout: .zero) { _ in }
        #expect(call.isAbandoned)
    }

    @Test(
        "is not needed to cancel: a cancelled call is answered CANCELLED at once",
        arguments: [
            TestServer.hold, TestServer.sleep,
        ])
    func cancel(method: String) async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, method).wire)
            try await eventually("it has begun") { server.held.calls.count == 1 || server.held.notes == ["asleep"] }
            try await peer.say(Frame.cancel(1).wire + Frame.cancel(99).wire)
            let answer = try await peer.hear()
            #expect(answer?.callID == 1 && answer?.code == .cancelled && answer?.reason == "cancelled")
            if method == TestServer.sleep {
                try await eventually("the task was cancelled") { server.held.notes == ["asleep", "abandoned"] }
            }
            server.held.answerAll()
            try await peer.say(Frame.pinging.wire)
            #expect(try await peer.hear()?.kind == .pong(.init()))
        }
    }

    @Test("is not needed when the connection is reset: its calls are abandoned")
    func reset() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, TestServer.hold).wire + Frame.call(2, TestServer.sleep).wire)
            try await eventually("the call is held") { server.held.calls.count == 1 }
            let call = try #require(server.held.calls.first)
            #expect(!call.isAbandoned)
            try await peer.reset()
            try await eventually("the call is abandoned") { call.isAbandoned }
            server.held.answerAll()
            try await eventually("nothing is in flight") { server.statistics.callsInFlight == 0 }
        }
    }
}
