import AssayTesting
import Testing

@testable import AssayFramedRPC
@testable import AssayRPC

@Suite("GoAway of a client")
struct ClientGoAwayTests {
    private func goAway() throws -> [UInt8] {
        var frame = Frame()
        frame.goAway.reason = "enough"
        return try frame.wire
    }

    @Test("a client's GoAway is answered by one, finishes what is in flight, begins nothing new, and ends the connection")
    func finishes() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, TestServer.hold).wire)
            try await eventually("the call is held") { server.held.calls.count == 1 }
            try await peer.say(try goAway() + Frame.call(2, TestServer.echo).wire + goAway())
            #expect(try await peer.hear()?.goAwayReason == "client_leaving")
            let refusal = try await peer.hear()
            #expect(refusal?.callID == 2 && refusal?.reason == "going_away")
            server.held.answerAll()
            #expect(try await peer.hearAll().map(\.text) == ["held"], "and then the end")
            await peer.close()
            try await eventually("the connection is gone") { server.statistics.openConnections == 0 }
            #expect(server.statistics.endedConnections == ["client_leaving": 1])
        }
    }

    @Test("GoAway of a client with nothing in flight ends the connection at once")
    func idle() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(try goAway())
            #expect(try await peer.hearAll().map(\.goAwayReason) == ["client_leaving"])
            await peer.close()
            try await eventually("the connection is gone") { server.statistics.openConnections == 0 }
        }
    }
}
