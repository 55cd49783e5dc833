import AssayListening
import AssayTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayFramedRPC
@testable import AssayRPC

@Suite("Timeout")
struct TimeoutTests {
    @Test("a peer that sends nothing after connecting is sent away")
    func firstFrame() async throws {
        var limits = RPCLimits()
        limits.firstFrameTimeout = .milliseconds(50)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["first_frame_timeout"])
        }
    }

    @Test("the timeout of the first frame applies to a peer that has sent a part of it")
    func firstFrameInPart() async throws {
        var limits = RPCLimits()
        limits.firstFrameTimeout = .seconds(4)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            let wire = try Frame.call(1, TestServer.echo).wire
            try await peer.say(wire.prefix(1))
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["first_frame_timeout"])
            // After a complete frame, the next one has the frame timeout.
            let other = try await RawPeer.connect(to: server.address)
            try await other.say(wire + wire.prefix(1))
            #expect(try await other.hear()?.text == "hello")
            try await Task.sleep(for: .seconds(5))
            #expect(!other.hasEnded)
        }
    }

    @Test("a peer that writes a frame too slowly is sent away")
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

    @Test("an idle peer is sent away, but not while it waits for an answer")
    func idle() async throws {
        var limits = RPCLimits()
        limits.idleTimeout = .seconds(2)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, TestServer.hold).wire)
            try await Task.sleep(for: .seconds(3))
            #expect(!peer.hasEnded)
            server.held.answerAll()
            #expect(try await peer.hear()?.text == "held")
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["idle_timeout"])
        }
    }

    @Test("the connection of a peer that vanished is closed")
    func vanished() async throws {
        var limits = RPCLimits()
        limits.idleTimeout = .milliseconds(50)
        limits.drainTimeout = .milliseconds(50)
        limits.lingerTimeout = .milliseconds(50)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.pinging.wire)
            try await peer.setReading(false)
            // Not the open connections: at first the server has not accepted it.
            try await eventually("it is ended") { server.statistics.endedConnections == ["idle_timeout": 1] }
            try await eventually("the connection is closed") { server.statistics.openConnections == 0 }
        }
    }

    @Test(
        "a call's timeout answers DEADLINE_EXCEEDED while the handler still works, and drops the handler's answer",
        arguments: [
            TestServer.hold, TestServer.sleep,
        ])
    func deadline(method: String) async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            let start = ContinuousClock.now
            try await peer.say(Frame.call(1, method, timeout: 1500).wire)
            try await eventually("it has begun") { server.held.calls.count == 1 || server.held.notes.first == "asleep" }
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

    @Test("a call is answered by what is late shortly before its deadline, and by the deadline if nothing is")
    func late() async throws {
        let late = RPCError(.unavailable, "the store does not answer", reason: "store_late")
        let isLate = Atomic(true)
        try await TestServer.run(lateness: { isLate.load(ordering: .relaxed) ? late : nil }) { server in
            let peer = try await RawPeer.connect(to: server.address)
            var reasons: [String?] = []
            // On a busy machine the server may be too late for it.
            while reasons.count < 10, reasons.last != "store_late" {
                let start = ContinuousClock.now
                try await peer.say(Frame.call(1, TestServer.hold, timeout: 600).wire)
                let answer = try await peer.hear()
                #expect(answer?.callID == 1 && answer?.code != .ok)
                #expect(ContinuousClock.now - start >= .milliseconds(530))
                reasons.append(answer?.reason)
                server.held.answerAll()
            }
            #expect(reasons.last == "store_late", "\(reasons)")
            // A call without a deadline waits.
            try await peer.say(Frame.call(2, TestServer.hold).wire)
            isLate.store(false, ordering: .relaxed)
            try await peer.say(Frame.call(3, TestServer.hold, timeout: 300).wire)
            let answer = try await peer.hear()
            #expect(answer?.callID == 3 && answer?.code == .deadlineExceeded)
            server.held.answerAll()
            #expect(try await peer.hear()?.callID == 2)
        }
    }

    /// The handler often sees the deadline before the timer, which may fire some milliseconds late.
    @Test("a call that its handler drops at the deadline is DEADLINE_EXCEEDED, never INTERNAL")
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

    @Test("a timeout of more than 32 bits is refused and not truncated")
    func longTimeout() async throws {
        let call = try Frame.call(1, TestServer.echo)
        // timeout_ms = 2^32 + 1000, which is a second if truncated to 32 bits.
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
            // The longest timeout is accepted, and the connection stays open.
            try await peer.say(frame(2, [0x18, 0xff, 0xff, 0xff, 0xff, 0x0f]))
            #expect(try await peer.hear()?.text == "hello")
            #expect(server.statistics.refusedCalls == ["timeout_too_long": 1])
        }
    }

    @Test("calls time out in the order of their deadlines, not of their arrival")
    func deadlines() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            // In one burst, so that all timeouts begin at one instant.
            let timeouts: [(UInt64, UInt32)] = [(1, 60_000), (2, 900), (3, 100), (4, 500)]
            try await peer.say(timeouts.flatMap { try Frame.call($0, TestServer.hold, timeout: $1).wire })
            var order: [UInt64] = []
            while order.count < 3, let frame = try await peer.hear() { order.append(frame.callID) }
            #expect(order == [3, 4, 2])
        }
    }

    @Test("a deadline that has passed before the handler begins prevents its work")
    func passedBefore() async throws {
        let call = RPCCall(method: "/m", message: [], peer: .unix(userID: 0, groupID: 0, processID: 1), timeout: .zero) { _ in }
        #expect(call.isAbandoned)
    }

    @Test(
        "a cancelled call is answered CANCELLED at once",
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

    @Test("the calls of a connection that is reset are abandoned")
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
