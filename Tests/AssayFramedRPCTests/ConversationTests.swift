import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayRPC

@Suite("Conversation")
struct ConversationTests {
    private func twoCalls() throws -> [UInt8] {
        try Frame.call(1, TestServer.echo, Text("one")).wire
            + Frame.call(2, TestServer.unaryEcho, Text("two"), timeout: 60_000).wire
    }

    @Test("two calls get the same answers however their bytes are split in two")
    func everySplit() async throws {
        let wire = try twoCalls()
        try await TestServer.run { server in
            for cut in 0...wire.count {
                let before = server.statistics.bytesReceived
                let peer = try await RawPeer.connect(to: server.address)
                try await peer.say(wire[..<cut])
                try await eventually("the first part arrived") { server.statistics.bytesReceived == before + cut }
                try await peer.say(wire[cut...])
                try await peer.shutOutput()
                let answers = try await peer.hearAll()
                #expect(Set(answers.map(\.text)) == ["one", "two"])
            }
        }
    }

    @Test("calls get the same answers when their bytes arrive one by one")
    func byteByByte() async throws {
        let wire = try twoCalls()
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            for (count, byte) in wire.enumerated() {
                try await peer.say([byte])
                try await eventually("the byte arrived") { server.statistics.bytesReceived == count + 1 }
            }
            try await peer.shutOutput()
            #expect(Set(try await peer.hearAll().map(\.text)) == ["one", "two"])
        }
    }

    @Test("a connection that ends inside a frame gets the answers of its complete calls, and an end")
    func strictPrefixes() async throws {
        let wire = try twoCalls()
        let first = try Frame.call(1, TestServer.echo, Text("one")).wire.count
        try await TestServer.run { server in
            for count in 0..<wire.count {
                let peer = try await RawPeer.connect(to: server.address)
                try await peer.say(wire[..<count])
                try await peer.shutOutput()
                #expect(try await peer.hearAll().map(\.text) == (count < first ? [] : ["one"]))
            }
            try await eventually("nothing is left") {
                server.statistics.openConnections == 0 && server.statistics.heldBytes == 0
                    && server.statistics.callsInFlight == 0
            }
        }
    }

    @Test("calls in flight are answered after the client has shut its side")
    func halfClose() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(5, TestServer.hold).wire)
            try await peer.shutOutput()
            try await eventually("the call is held") { server.held.calls.count == 1 }
            try await Task.sleep(for: .milliseconds(20))
            #expect(!peer.hasEnded)
            server.held.answerAll()
            #expect(try await peer.hearAll().map(\.text) == ["held"])
            try await eventually("the connection is closed") { server.statistics.openConnections == 0 }
        }
    }

    @Test("frames of unknown kinds, and of kinds that a client does not send, are ignored")
    func unknownKinds() async throws {
        var strange = Frame()
        strange.callID = 9
        strange.reply = .init()
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.wire([0x08, 1, 0xfa, 0x01, 3, 1, 2, 3]))
            try await peer.say(strange.wire + Frame.wire([0x08, 0]))
            try await peer.say(Frame.call(1, TestServer.echo, Text("still here")).wire)
            #expect(try await peer.hear()?.text == "still here")
        }
    }

    @Test("pings are answered in order, between calls")
    func ping() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.pinging.wire + Frame.pinging.wire)
            #expect(try await peer.hear()?.kind == .pong(.init()))
            #expect(try await peer.hear()?.kind == .pong(.init()))
        }
    }

    @Test("a connection stays open after a call that cannot be answered")
    func refusals() async throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<33).map { ("k\($0)", "v") })
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, "/test.Test/Nothing").wire)
            var answer = try await peer.hear()
            #expect(answer?.code == .unimplemented && answer?.reason == "unknown_method")

            var broken = try Frame.call(2, TestServer.echo)
            broken.call.message = .init([0x0a, 0xff])
            for method in [TestServer.echo, TestServer.unaryEcho] {
                broken.call.method = method
                try await peer.say(broken.wire)
                answer = try await peer.hear()
                #expect(answer?.code == .invalidArgument && answer?.reason == "undecodable_message")
            }

            try await peer.say(Frame.call(3, TestServer.echo, metadata: many).wire)
            answer = try await peer.hear()
            #expect(answer?.code == .invalidArgument && answer?.reason == "too_much_metadata")

            try await peer.say(Frame.call(4, TestServer.forget).wire)
            answer = try await peer.hear()
            #expect(answer?.code == .internalError && answer?.reason == "unanswered")

            try await peer.say(Frame.call(5, TestServer.blob, Number(2 << 20)).wire)
            answer = try await peer.hear()
            #expect(answer?.code == .internalError && answer?.reason == "reply_too_large")

            try await peer.say(Frame.call(1, TestServer.echo, Text("a number may be used again")).wire)
            #expect(try await peer.hear()?.text == "a number may be used again")
            try await eventually("nothing is in flight") { server.statistics.callsInFlight == 0 }
        }
    }

    @Test("a handler gets the metadata that the caller sent")
    func context() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, TestServer.hold, Text("x"), timeout: 60_000, metadata: ["key": "value"]).wire)
            try await eventually("the call is held") { server.held.calls.count == 1 }
            let call = try #require(server.held.calls.first)
            #expect(call.method == TestServer.hold && call.metadata["key"] == "value" && call.metadata["other"] == nil)
            #expect(try call.decode(Text.self).value == "x")
            #expect(call.deadline == call.received.advanced(by: .seconds(60)))
            guard case .tcp("127.0.0.1", _, true) = call.peer else {
                Issue.record("the peer is \(call.peer)")
                return
            }
        }
    }
}
