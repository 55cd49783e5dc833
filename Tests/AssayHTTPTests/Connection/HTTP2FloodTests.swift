import AssayTesting
import Testing

@testable import AssayHTTP
@testable import AssayRPC

/// Clients of HTTP/2 that break its rules, or do more than they may.
@Suite("HTTP/2 floods", .timeLimit(.minutes(30)))
struct HTTP2FloodTests {
    private static let enhanceYourCalm: UInt8 = 11
    private let beginning = RawFrames.preface + RawFrames.settings

    /// The code of the first GOAWAY that came.
    private func goAwayCode(_ client: RawClient) -> UInt8? {
        RawFrames.all(in: client.bytes).first { $0.type == 7 }?.payload.dropFirst(7).first
    }

    /// A call that waits, and its reset.
    private func resetCall(_ number: Int, code: UInt32) -> [UInt8] {
        let stream = UInt32(2 * number + 1)
        return RawFrames.call(stream, TestMethods.sleep) + RawFrames.data(stream, Enveloped.bytes([]))
            + RawFrames.reset(stream, code: code)
    }

    @Test(
        "a peer that is not known and resets one call after another is ended, by whatever code", arguments: [8, 0] as [UInt32])
    func resets(_ code: UInt32) async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            client.shout(beginning + (0..<250).flatMap { resetCall($0, code: code) })
            try await client.end()
            #expect(goAwayCode(client) == Self.enhanceYourCalm)
            #expect(server.statistics.endedConnections == ["too_many_resets": 1])
            try await eventually("nothing is left of its calls") {
                server.statistics.callsInFlight == 0
            }
        }
    }

    @Test("a peer that is not known may reset some calls")
    func fewResets() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            let body = Enveloped.bytes([7])
            client.shout(
                beginning + (0..<150).flatMap { resetCall($0, code: 8) } + RawFrames.call(999, TestMethods.echo)
                    + RawFrames.data(999, body))
            try await eventually("the connection goes on") {
                RawFrames.all(in: client.bytes).contains { $0.type == 0 && $0.payload == body }
            }
        }
    }

    @Test("a known caller may reset more")
    func resetsOfKnownCaller() async throws {
        let access = RPCAccess(caller: { _ in "proxy" }, refusal: { _, _ in nil }, version: { 0 })
        try await HTTPTestServer.run(.with { $0.access = access }) { server in
            let client = try await RawClient.connect(to: server.address)
            let body = Enveloped.bytes([7])
            client.shout(beginning)
            // In parts, so that what was reset makes space for the next calls.
            for part in 0..<3 {
                client.shout((100 * part..<100 * (part + 1)).flatMap { resetCall($0, code: 8) })
                try await eventually("its calls are let go") {
                    server.statistics.refusedCalls["cancelled"] == 100 * (part + 1) && server.statistics.callsInFlight == 0
                }
            }
            client.shout(RawFrames.call(999, TestMethods.echo) + RawFrames.data(999, body))
            try await eventually("the connection goes on") {
                RawFrames.all(in: client.bytes).contains { $0.type == 0 && $0.payload == body }
            }
        }
    }

    @Test("a known caller that resets more than the limit is ended")
    func tooManyResetsOfKnownCaller() async throws {
        let access = RPCAccess(caller: { _ in "proxy" }, refusal: { _, _ in nil }, version: { 0 })
        let known = HTTPTestServer.Setup.with {
            $0.access = access
            $0.limits.maxResetsOfKnownPeers = 250
        }
        try await HTTPTestServer.run(known) { server in
            let client = try await RawClient.connect(to: server.address)
            client.shout(beginning)
            for part in 0..<2 {
                client.shout((100 * part..<100 * (part + 1)).flatMap { resetCall($0, code: 8) })
                try await eventually("its calls are let go") {
                    server.statistics.refusedCalls["cancelled"] == 100 * (part + 1) && server.statistics.callsInFlight == 0
                }
            }
            client.shout((200..<260).flatMap { resetCall($0, code: 8) })
            try await client.end()
            #expect(goAwayCode(client) == Self.enhanceYourCalm)
            #expect(server.statistics.endedConnections == ["too_many_resets": 1])
        }
    }

    @Test("a known caller that resets many calls at once is ended, although it may reset more in a longer time")
    func resetsAtOnce() async throws {
        let access = RPCAccess(caller: { _ in "proxy" }, refusal: { _, _ in nil }, version: { 0 })
        try await HTTPTestServer.run(.with { $0.access = access }) { server in
            let client = try await RawClient.connect(to: server.address)
            client.shout(beginning)
            // Once, unless the machine is so busy that the server reads them over a longer time.
            let flood = 2 * HTTPLimits.mostResetsAtOnce
            for batch in 0..<10 where !client.hasEnded {
                client.shout((batch * flood..<(batch + 1) * flood).flatMap { resetCall($0, code: 8) })
                _ = await eventually(within: .seconds(20)) { client.hasEnded }
            }
            try await client.end()
            #expect(goAwayCode(client) == Self.enhanceYourCalm)
            #expect(server.statistics.endedConnections == ["too_many_resets": 1])
        }
    }

    @Test("a flood of PING is ended")
    func pings() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            client.shout(beginning + (0..<300).flatMap { RawFrames.ping(UInt8($0 % 256)) })
            try await client.end()
            #expect(goAwayCode(client) == Self.enhanceYourCalm)
            #expect(server.statistics.endedConnections == ["too_much_overhead": 1])
        }
    }

    @Test("a flood of frames that belong to no request is ended", arguments: [8, 0xfa] as [UInt8])
    func overhead(_ type: UInt8) async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxOverheadBytes = 10_000 }) { server in
            let client = try await RawClient.connect(to: server.address)
            let body = Enveloped.bytes([7])
            try await client.say(beginning + RawFrames.call(1, TestMethods.echo) + RawFrames.data(1, body))
            try await eventually("a call is answered") {
                RawFrames.all(in: client.bytes).contains { $0.type == 0 && $0.payload == body }
            }
            let frame = type == 8 ? RawFrames.windowUpdate(by: 1) : RawFrames.frame(type: type, [0, 0, 0, 0])
            client.shout((0..<5000).flatMap { _ in frame })
            try await client.end()
            #expect(server.statistics.endedConnections == ["too_much_overhead": 1])
        }
    }

    @Test("the bytes of calls are no overhead")
    func noOverhead() async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxOverheadBytes = 10_000 }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            for _ in 0..<3 {
                let message = [UInt8](repeating: 1, count: 200_000)
                #expect(try await client.answer(to: TestMethods.echo, message).messages == [message])
            }
            // A body that comes slowly, in frames of a hundred bytes.
            let stream = client.openCall(TestMethods.echo)
            client.send(Enveloped.prefix(100_000), on: stream)
            for number in 0..<1000 { client.send([UInt8](repeating: 1, count: 100), on: stream, isEnd: number == 999) }
            #expect(try await client.answer(stream).messages?.first?.count == 100_000)
        }
    }

    @Test("empty frames of data without end are ended")
    func emptyData() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            let empty = RawFrames.data(1, [], isEnd: false)
            client.shout(beginning + RawFrames.call(1, TestMethods.echo) + (0..<100).flatMap { _ in empty })
            try await client.end()
            #expect(goAwayCode(client) == Self.enhanceYourCalm)
        }
    }

    @Test("a connection that breaks the protocol is told so and ended")
    func protocolErrors() async throws {
        let faults: [(name: String, bytes: [UInt8])] = [
            ("data on no stream", RawFrames.frame(type: 0, flags: 1, stream: 0, [1])),
            ("a frame that is too long", RawFrames.frame(type: 0, stream: 1, [UInt8](repeating: 0, count: 20_000))),
            ("a header that is no HPACK", RawFrames.frame(type: 1, flags: 5, stream: 1, [0xff, 0xff, 0xff, 0xff])),
            ("an even stream", RawFrames.call(2, TestMethods.echo, isEnd: true)),
            ("a window beyond the widest", RawFrames.windowUpdate(by: 0x7fff_ffff)),
        ]
        for (name, bytes) in faults {
            try await HTTPTestServer.run { server in
                let client = try await RawClient.connect(to: server.address)
                client.shout(beginning + bytes)
                try await client.end()
                #expect(goAwayCode(client) != nil, "\(name)")
                #expect(server.statistics.endedConnections == ["protocol_error": 1], "\(name)")
            }
        }
    }
}
