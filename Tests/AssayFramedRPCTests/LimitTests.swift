import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

@Suite("Limit")
struct LimitTests {
    @Test("a connection's call beyond its limit is refused at once")
    func callsPerConnection() async throws {
        var limits = RPCLimits.patient
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
            // An answer frees its place before the peer reads it.
            try await peer.say(Frame.call(4, TestServer.echo, Text("served again")).wire)
            #expect(try await peer.hear()?.text == "served again")
            #expect(server.statistics.refusedCalls == ["too_many_calls": 1])
        }
    }

    @Test("a cancelled call counts as in flight until its handler releases it")
    func cancelledCallsCount() async throws {
        var limits = RPCLimits.patient
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
            try await peer.say(Frame.call(3, TestServer.echo, Text("served")).wire)
            #expect(try await peer.hear()?.text == "served")
        }
    }

    @Test("a call beyond the daemon's limit is refused with a time to try again")
    func callsTotal() async throws {
        var limits = RPCLimits.patient
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

    @Test("beyond the limit of held bytes, calls are refused and peers with partial frames are sent away")
    func heldBytes() async throws {
        var limits = RPCLimits.patient
        // The last sixteenth is reserved for callers that hold little; this one holds much.
        limits.maxHeldBytesTotal = 10_700
        try await TestServer.run(limits) { server in
            // Small enough to arrive in one piece, so that no partial frame is counted.
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

    /// Peers that do not finish their frames must not keep out peers that send complete ones, even if those take a moment to arrive.
    @Test("frames that never end do not use up the limit of held bytes", .timeLimit(.minutes(30)))
    func partialFrames() async throws {
        var limits = RPCLimits.patient
        limits.maxHeldBytesTotal = 100_000
        try await TestServer.run(limits) { server in
            let endless = Frame.wire([UInt8](repeating: 0x3A, count: 10_000)).prefix(9_000)
            var peers: [RawPeer] = []
            for _ in 0..<20 {
                let peer = try await RawPeer.connect(to: server.address)
                try await peer.say(endless)
                peers.append(peer)
            }
            try await eventually("the limit of held bytes is nearly reached") { server.statistics.heldBytes > 40_000 }
            let honest = try await RawPeer.connect(to: server.address)
            let call = try Frame.call(1, TestServer.echo, Text(String(repeating: "x", count: 3_000))).wire
            for _ in 0..<3 {
                try await honest.say(call)
                #expect(try await honest.hear()?.text?.count == 3_000)
            }
            // In two parts, while the others are still connected.
            try await honest.say(call.prefix(2_000))
            try await peers[19].say([0x3A])
            try await honest.say(call.dropFirst(2_000))
            #expect(try await honest.hear()?.text?.count == 3_000)
            try await eventually("the oldest have given way") { peers[0].hasEnded }
            #expect(!peers[19].hasEnded, "and no more than have to")
        }
    }

    @Test("the limit of held bytes counts metadata too", .timeLimit(.minutes(30)))
    func heldMetadata() async throws {
        var limits = RPCLimits.patient
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

    @Test("a connection beyond the limit is sent away, and one is served again when another leaves")
    func connections() async throws {
        var limits = RPCLimits.patient
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

    @Test("connections from which nothing comes give way where all places are taken, those of the address with most first")
    func silentConnections() async throws {
        var limits = RPCLimits.patient
        (limits.maxConnections, limits.firstFrameTimeout) = (3, .seconds(600))
        try await TestServer.run(limits) { server in
            let working = try await RawPeer.connect(to: server.address)
            try await working.say(Frame.pinging.wire)
            #expect(try await working.hear()?.kind == .pong(.init()))
            var silent: [RawPeer] = []
            for _ in 0..<20 { silent.append(try await RawPeer.connect(to: server.address)) }
            // Which two are left is not said: connections that come at nearly the same time may be served in another order.
            try await eventually("all but two gave way") { silent.count(where: \.hasEnded) == 18 }
            #expect(server.statistics.endedConnections == ["too_many_connections": 18])
            let honest = try await RawPeer.connect(to: server.address)
            for peer in [working, honest] {
                try await peer.say(Frame.call(1, TestServer.echo, Text("served")).wire)
                #expect(try await peer.hear()?.text == "served")
            }
        }
    }

    @Test("the limit of unread answers closes the connection, after the server has stopped reading from it")
    func slowReader() async throws {
        var limits = RPCLimits.patient
        // The limit of waiting answers is above what is asked for, so that only the timeout ends the connection. No call is
        // refused, so the answers have 100 MB, more than the sockets of any machine hold (Linux: 37 MB at most).
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

    @Test("the limit of waiting answers is hard")
    func outboundOverflow() async throws {
        var limits = RPCLimits.patient
        limits.maxOutboundBytes = 1 << 20
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.setReading(false)
            for id: UInt64 in 1...100 { peer.shout(try Frame.call(id, TestServer.blob, Number(900_000)).wire) }
            try await eventually("the peer is given up") { server.statistics.endedConnections["outbound_overflow"] == 1 }
        }
    }

    /// Each connection stays below its own bound; all together would not fit into memory.
    @Test("beyond the limit of all waiting answers, the connection that has not read for the longest is closed")
    func outboundTotal() async throws {
        var limits = RPCLimits.patient
        limits.maxOutboundBytesTotal = 16 << 20
        try await TestServer.run(limits) { server in
            var peers: [RawPeer] = []
            for _ in 0..<4 {
                let peer = try await RawPeer.connect(to: server.address)
                try await peer.setReading(false)
                // In one write: the server reads no further once the peer's socket is full.
                peer.shout(try (1...28).flatMap { try Frame.call(UInt64($0), TestServer.blob, Number(500_000)).wire })
                try await eventually("its answers are made") { server.statistics.callsStarted == 28 * (peers.count + 1) }
                peers.append(peer)
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

    /// None of them has so much that its socket is full for the daemon.
    @Test("many connections that each leave a little unread have no more together than the limit of all waiting answers")
    func littleOfMany() async throws {
        var limits = RPCLimits.patient
        limits.maxOutboundBytesTotal = 1 << 20
        // The kernel takes about 210 KB of them.
        let pings = Array(repeatElement(try Frame.pinging.wire, count: 50_000).joined())
        try await TestServer.run(limits, at: .unix(path: socketPath())) { server in
            var peers: [RawPeer] = []
            for count in 1...40 {
                let peer = try await RawPeer.connect(to: server.address)
                try await peer.setReading(false)
                peer.shout(pings)
                peers.append(peer)
                try await eventually("its pings are answered, or the first are given up") {
                    server.statistics.bytesReceived >= count * pings.count || !server.statistics.endedConnections.isEmpty
                }
                guard server.statistics.endedConnections.isEmpty else { break }
            }
            #expect(server.statistics.endedConnections.keys.sorted() == ["outbound_overflow"])
            #expect(server.statistics.openConnections > 0, "and no more than have to")
            let honest = try await RawPeer.connect(to: server.address)
            try await honest.say(Frame.call(1, TestServer.echo, Text("served")).wire)
            #expect(try await honest.hear()?.text == "served")
        }
    }

    @Test("a peer that reads slowly and steadily is within the limits")
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
