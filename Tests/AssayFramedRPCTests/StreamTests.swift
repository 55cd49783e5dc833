import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

@Suite("Server stream")
struct StreamTests {
    @Test("a stream sends every item in order, then its end")
    func items() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(9, TestServer.count, Number(3)).wire)
            for number: UInt32 in 1...3 {
                let frame = try #require(try await peer.hear())
                #expect(frame.callID == 9)
                #expect(try Number(serializedBytes: frame.item.message).value == number)
            }
            let end = try await peer.hear()
            #expect(end?.kind == .end(.init()))
        }
    }

    @Test("a stream reaches the client as a sequence, with the error that ends it")
    func sequence() async throws {
        try await TestServer.run { server in
            let client = try await RPCConnection.connect(to: server.address)
            var numbers: [UInt32] = []
            for try await number in try client.stream(TestServer.count, Number(1000), of: Number.self) {
                numbers.append(number.value)
            }
            #expect(numbers == Array(1...1000))

            numbers = []
            await #expect(throws: RPCError(.failedPrecondition, "unlucky", reason: "thirteen")) {
                for try await number in try client.stream(TestServer.count, Number(13), of: Number.self) {
                    numbers.append(number.value)
                }
            }
            #expect(numbers == Array(1...13))

            // A refusal before the stream begins is a Reply.
            await #expect(throws: RPCError.unknownMethod("/no")) {
                for try await _ in try client.stream("/no", Number(1), of: Number.self) {}
            }
            await client.close()
        }
    }

    @Test("a stream's handler is suspended while the peer does not read, and continues when it does")
    func backPressure() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.setReading(false)
            try await peer.say(Frame.call(1, TestServer.pour, Number(0)).wire)
            try await eventually("it pours") { server.held.poured > 100 }
            let poured = try await stillness { server.held.poured }
            // No more than the kernel's buffers, the channel and the outbox hold.
            #expect(poured < 20_000)
            try await peer.setReading(true)
            try await eventually("it goes on") { server.held.poured > poured + 10_000 }
            try await peer.say(Frame.cancel(1).wire)
            while let frame = try await peer.hear() {
                guard case .end = frame.kind else { continue }
                #expect(frame.code == .cancelled)
                break
            }
            try await eventually("the handler is told") { server.held.notes == ["CANCELLED"] }
            try await eventually("nothing is in flight") { server.statistics.callsInFlight == 0 }
        }
    }

    @Test("a stream that waits for its peer is released when the connection is closed")
    func writeTimeout() async throws {
        var limits = RPCLimits.patient
        limits.writeTimeout = .milliseconds(200)
        try await TestServer.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.setReading(false)
            try await peer.say(Frame.call(1, TestServer.pour, Number(0)).wire)
            try await eventually("the peer is given up") { server.statistics.endedConnections == ["write_timeout": 1] }
            try await eventually("the handler is told") { !server.held.notes.isEmpty }
            try await eventually("nothing is in flight") { server.statistics.callsInFlight == 0 }
        }
    }

    @Test("a stream that waits for its peer is released at its deadline")
    func deadline() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.setReading(false)
            try await peer.say(Frame.call(1, TestServer.pour, Number(0), timeout: 3000).wire)
            try await eventually("the handler is told") { server.held.notes == ["DEADLINE_EXCEEDED"] }
        }
    }

    @Test("a stream whose items are not taken suspends the client's reading, and is cancelled when its sequence is released")
    func slowConsumer() async throws {
        var limits = RPCConnectionLimits()
        limits.maxQueuedItemBytes = 100_000
        try await TestServer.run { server in
            let client = try await RPCConnection.connect(to: server.address, limits: limits)
            do {
                let items = try client.stream(TestServer.pour, Number(0), of: Blob.self)
                let poured = try await stillness { server.held.poured }
                #expect(poured < 20_000)
                var taken = 0
                for try await item in items {
                    #expect(item.value.count == 1024)
                    taken += 1
                    if taken == 20_000 { break }
                }
                #expect(taken == 20_000)
            }
            try await eventually("the handler is told") { server.held.notes == ["CANCELLED"] }
            let reply: Text = try await client.call(TestServer.echo, Text("free again"))
            #expect(reply.value == "free again")
            await client.close()
        }
    }

    @Test("a stream is cancelled with the task that reads it")
    func cancelledTask() async throws {
        try await TestServer.run { server in
            let client = try await RPCConnection.connect(to: server.address)
            let reader = Task {
                for try await _ in try client.stream(TestServer.pour, Number(0), of: Blob.self) {}
            }
            try await eventually("it pours") { server.held.poured > 1000 }
            reader.cancel()
            await #expect(throws: RPCError.cancelled) { try await reader.value }
            try await eventually("the handler is told") { server.held.notes == ["CANCELLED"] }
            await client.close()
        }
    }

    /// The value once it has not changed for a while.
    private func stillness(_ value: () -> Int) async throws -> Int {
        var (last, quiet) = (-1, 0)
        try await eventually("it stands still") {
            let now = value()
            quiet = now > 0 && now == last ? quiet + 1 : 0
            last = now
            try await Task.sleep(for: .milliseconds(100))
            return quiet == 3
        }
        return value()
    }
}
