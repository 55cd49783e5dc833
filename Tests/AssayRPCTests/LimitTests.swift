import SwiftProtobuf
import Testing

@testable import AssayRPC

@Suite("Limit")
struct LimitTests {
    @Test("of calls in flight on a connection refuses the next one at once")
    func callsPerConnection() async throws {
        var limits = RPCLimits()
        limits.maxInFlightPerConnection = 3
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            for id: UInt64 in 1...4 { try await peer.say(Frame.call(id, TestServer.hold).wire) }
            let refusal = try await peer.hear()
            #expect(refusal?.callID == 4 && refusal?.code == .resourceExhausted && refusal?.reason == "too_many_calls")

            let other = try await RawPeer.connect(to: server.address)
            try await other.say(Frame.call(1, TestServer.echo, Text("another connection")).wire)
            #expect(try await other.hear()?.text == "another connection")

            try await eventually("three are held") { server.held.calls.count == 3 }
            server.held.answerAll()
            for _ in 1...3 { #expect(try await peer.hear()?.text == "held") }
            // The answers free their places before they are read.
            try await peer.say(Frame.call(4, TestServer.echo, Text("room again")).wire)
            #expect(try await peer.hear()?.text == "room again")
            #expect(server.statistics.refusedCalls == ["too_many_calls": 1])
        }
    }

    @Test("of calls in flight is not escaped by cancelling: the place is held until the handler lets go")
    func cancelledCallsCount() async throws {
        var limits = RPCLimits()
        limits.maxInFlightPerConnection = 2
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            for id: UInt64 in 1...2 {
                try await peer.say(Frame.call(id, TestServer.hold).wire)
                try await eventually("it is held") { server.held.calls.count == Int(id) }
                try await peer.say(Frame.cancel(id).wire)
                #expect(try await peer.hear()?.code == .cancelled)
            }
            try await peer.say(Frame.call(3, TestServer.echo).wire)
            #expect(try await peer.hear()?.reason == "too_many_calls")
            server.held.answerAll()
            try await eventually("the handlers have let go") { server.statistics.callsInFlight == 0 }
            try await peer.say(Frame.call(3, TestServer.echo, Text("room")).wire)
            #expect(try await peer.hear()?.text == "room")
        }
    }

    @Test("of calls in flight in the daemon refuses with a time to come back")
    func callsTotal() async throws {
        var limits = RPCLimits()
        limits.maxInFlightTotal = 4
        try await TestServer.run(limits) { server in
            let peers = [try await RawPeer.connect(to: server.address), try await RawPeer.connect(to: server.address)]
            for peer in peers { try await peer.say(Frame.call(1, TestServer.hold).wire + Frame.call(2, TestServer.hold).wire) }
            try await eventually("four are held") { server.held.calls.count == 4 }
            try await peers[1].say(Frame.call(3, TestServer.echo).wire)
            let refusal = try await peers[1].hear()
            #expect(refusal?.code == .resourceExhausted && refusal?.reason == "overloaded")
            #expect(refusal?.status?.retryAfterMs == 250)
            server.held.answerAll()
            try await eventually("nothing is in flight") { server.statistics.callsInFlight == 0 }
        }
    }

    @Test("of bytes held refuses calls, and sends peers with partial frames away")
    func heldBytes() async throws {
        var limits = RPCLimits()
        // The last sixteenth is for callers that hold little, which this one does not.
        limits.maxHeldBytesTotal = 10_700
        try await TestServer.run(limits) { server in
            // Small enough to arrive whole, so that no partial frame is in the account.
            let peer = try await RawPeer.connect(to: server.address)
            let text = Text(String(repeating: "x", count: 900))
            for id: UInt64 in 1...11 {
                try await peer.say(Frame.call(id, TestServer.hold, text).wire)
                try await eventually("the call is held") { server.held.calls.count == Int(id) }
            }
            try await peer.say(Frame.call(12, TestServer.echo, text).wire)
            #expect(try await peer.hear()?.reason == "overloaded")

            let slow = try await RawPeer.connect(to: server.address)
            try await slow.say(Frame.call(1, TestServer.echo, text).wire.dropLast())
            #expect(try await slow.hear()?.goAwayReason == "overloaded")
            #expect(try await slow.hear() == nil)
            server.held.answerAll()
            try await eventually("nothing is held") { server.statistics.heldBytes == 0 }
        }
    }

    /// Whoever begins frames and does not end them must not keep out those who send whole ones, nor those whose frames take a
    /// moment to arrive.
    @Test("of bytes held is not used up by frames that never end", .timeLimit(.minutes(1)))
    func partialFrames() async throws {
        var limits = RPCLimits()
        limits.maxHeldBytesTotal = 100_000
        try await TestServer.run(limits) { server in
            let endless = Frame.wire([UInt8](repeating: 0x3A, count: 10_000)).prefix(9_000)
            var crowd: [RawPeer] = []
            for _ in 0..<20 {
                let peer = try await RawPeer.connect(to: server.address)
                try await peer.say(endless)
                crowd.append(peer)
            }
            try await eventually("as many bytes are held as may be") { server.statistics.heldBytes > 40_000 }
            let honest = try await RawPeer.connect(to: server.address)
            let call = try Frame.call(1, TestServer.echo, Text(String(repeating: "x", count: 3_000))).wire
            for _ in 0..<3 {
                try await honest.say(call)
                #expect(try await honest.hear()?.text?.count == 3_000)
            }
            // In two parts, with the crowd still there.
            try await honest.say(call.prefix(2_000))
            try await crowd[19].say([0x3A])
            try await honest.say(call.dropFirst(2_000))
            #expect(try await honest.hear()?.text?.count == 3_000)
            try await eventually("the oldest have given way") { crowd[0].hasEnded }
            #expect(!crowd[19].hasEnded, "and no more than have to")
        }
    }

    @Test("of bytes held counts metadata too", .timeLimit(.minutes(1)))
    func heldMetadata() async throws {
        var limits = RPCLimits()
        limits.maxHeldBytesTotal = 1_000_000
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            let metadata = ["key": String(repeating: "x", count: 300_000)]
            for id: UInt64 in 1...2 {
                try await peer.say(Frame.call(id, TestServer.hold, metadata: metadata).wire)
                try await eventually("the call is held") { server.held.calls.count == Int(id) }
            }
            #expect(server.statistics.heldBytes > 600_000)
            try await peer.say(Frame.call(3, TestServer.hold, metadata: metadata).wire)
            #expect(try await peer.hear()?.reason == "overloaded")
            server.held.answerAll()
            try await eventually("nothing is held") { server.statistics.heldBytes == 0 }
        }
    }

    @Test("of connections sends the next one away, and has room when one leaves")
    func connections() async throws {
        var limits = RPCLimits()
        limits.maxConnections = 2
        try await TestServer.run(limits) { server in
            let first = try await RawPeer.connect(to: server.address)
            let second = try await RawPeer.connect(to: server.address)
            for peer in [first, second] {
                try await peer.say(Frame.pinging.wire)
                #expect(try await peer.hear()?.kind == .pong(.init()))
            }
            let third = try await RawPeer.connect(to: server.address)
            try await third.say(Frame.call(1, TestServer.echo).wire)
            #expect(try await third.hearAll().map(\.goAwayReason) == ["too_many_connections"])
            await third.close()
            await first.close()
            try await eventually("one has left") { server.statistics.openConnections == 1 }
            let fourth = try await RawPeer.connect(to: server.address)
            try await fourth.say(Frame.call(1, TestServer.echo, Text("in")).wire)
            #expect(try await fourth.hear()?.text == "in")
        }
    }

    @Test("of answers that nobody reads closes the connection, after the server has stopped reading from it")
    func slowReader() async throws {
        var limits = RPCLimits()
        // More answers may wait than are asked for, so that only the time-out ends the connection; and no call is refused, so
        // that the answers, 100 MB, are more than the sockets of any machine hold (Linux: 37 MB at most).
        limits.maxOutboundBytes = 256 << 20
        limits.writeTimeout = .milliseconds(300)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.setReading(false)
            for id: UInt64 in 1...200 { peer.shout(try Frame.call(id, TestServer.blob, Number(500_000)).wire) }
            try await eventually("the peer is given up") { server.statistics.endedConnections["write_timeout"] == 1 }
            try await eventually("nothing is held") {
                server.statistics.openConnections == 0 && server.statistics.callsInFlight == 0
            }
        }
    }

    @Test("of waiting answers is hard")
    func outboundOverflow() async throws {
        var limits = RPCLimits()
        limits.maxOutboundBytes = 1 << 20
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.setReading(false)
            for id: UInt64 in 1...100 { peer.shout(try Frame.call(id, TestServer.blob, Number(900_000)).wire) }
            try await eventually("the peer is given up") { server.statistics.endedConnections["outbound_overflow"] == 1 }
        }
    }

    /// Each stays below its own bound, and a crowd of them would not fit into memory.
    @Test("of waiting answers holds for all connections together: whoever has not read for the longest is given up")
    func outboundTotal() async throws {
        var limits = RPCLimits()
        limits.maxOutboundBytesTotal = 16 << 20
        try await TestServer.run(limits) { server in
            var crowd: [RawPeer] = []
            for _ in 0..<4 {
                let peer = try await RawPeer.connect(to: server.address)
                try await peer.setReading(false)
                for id: UInt64 in 1...28 { peer.shout(try Frame.call(id, TestServer.blob, Number(500_000)).wire) }
                try await eventually("its answers are made") { server.statistics.callsStarted == 28 * (crowd.count + 1) }
                crowd.append(peer)
            }
            try await eventually("the first are given up") {
                server.statistics.endedConnections["outbound_overflow", default: 0] >= 2
            }
            #expect(server.statistics.openConnections > 0, "and no more than have to")
            let honest = try await RawPeer.connect(to: server.address)
            try await honest.say(Frame.call(1, TestServer.echo, Text("served")).wire)
            #expect(try await honest.hear()?.text == "served")
        }
    }

    @Test("on the peer's reading does not hurt one that is slow and steady")
    func pausedReader() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.setReading(false)
            for id: UInt64 in 1...100 { peer.shout(try Frame.call(id, TestServer.blob, Number(200_000)).wire) }
            try await Task.sleep(for: .milliseconds(100))
            #expect(peer.heardBytes == 0)
            try await peer.setReading(true)
            var answered: Set<UInt64> = []
            while answered.count < 100, let frame = try await peer.hear() {
                #expect(frame.reply.message.count > 200_000)
                answered.insert(frame.callID)
            }
            #expect(answered.count == 100)
        }
    }
}
