import AssayListening
import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayRPC

@Suite("Protocol fault")
struct FaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let reason: GoAwayReason
        var testDescription: String { reason.rawValue }
    }

    static let faults = [
        Fault(bytes: [0, 0, 0, 0], reason: .emptyFrame),
        Fault(bytes: [0, 0x10, 0, 1], reason: .frameTooLarge),
        Fault(bytes: [0xff, 0xff, 0xff, 0xff], reason: .frameTooLarge),
        Fault(bytes: Frame.wire([0x0f]), reason: .undecodableFrame),
        Fault(bytes: Frame.wire([0x08, 1, 0x12, 5, 1]), reason: .undecodableFrame),
        // A call whose method is not text.
        Fault(bytes: Frame.wire([0x08, 9, 0x12, 3, 0x0a, 1, 0xff]), reason: .undecodableFrame),
        Fault(bytes: Frame.wire([0x12, 0]), reason: .callIDZero),
        Fault(bytes: Frame.wire([0x32, 0]), reason: .callIDZero),
    ]

    @Test("a protocol fault ends in GoAway, half-close and close, after the calls before it are answered", arguments: faults)
    func fault(_ fault: Fault) async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            // Bytes after the fault are discarded, valid or not.
            try await peer.say(
                Frame.call(1, TestServer.hold).wire + fault.bytes + Frame.call(2, TestServer.echo).wire + [0, 0, 0, 0])
            #expect(try await peer.hear()?.goAwayReason == fault.reason.rawValue)
            try await peer.say(Frame.call(3, TestServer.echo).wire)
            try await eventually("the call before is held") { server.held.calls.count == 1 }
            server.held.answerAll()
            let rest = try await peer.hearAll()
            #expect(rest.map(\.text) == ["held"])
            await peer.close()
            try await eventually("the connection is closed") { server.statistics.openConnections == 0 }
            #expect(server.statistics.endedConnections == [fault.reason.rawValue: 1])
        }
    }

    @Test("a call id that is in flight is a protocol fault, and one that has been answered is none")
    func duplicateCallID() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            for _ in 0..<3 {
                try await peer.say(Frame.call(7, TestServer.echo, Text("again")).wire)
                #expect(try await peer.hear()?.text == "again")
            }
            try await peer.say(Frame.call(7, TestServer.hold).wire)
            try await peer.say(Frame.call(7, TestServer.echo).wire)
            #expect(try await peer.hear()?.goAwayReason == "duplicate_call_id")
            server.held.failAll()
        }
    }

    @Test("after a fault, the input and the time of a peer that neither reads nor ends are bounded")
    func boundedDrain() async throws {
        var limits = RPCLimits.patient
        limits.lingerTimeout = .milliseconds(50)
        limits.maxDiscardedBytes = 100_000
        try await TestServer.run(limits) { server in
            let silent = try await RawPeer.connect(to: server.address)
            try await silent.say([0, 0, 0, 0])
            let loud = try await RawPeer.connect(to: server.address)
            try await loud.say([0, 0, 0, 0])
            loud.shout(Array(repeating: 1, count: 10_000_000))
            try await eventually("both are closed") { server.statistics.openConnections == 0 }
        }
    }

    @Test("2,000 random byte strings harm no other peer and leave nothing behind")
    func garbage() async throws {
        var random = SplitMix(seed: 2026)
        var limits = RPCLimits.patient
        limits.lingerTimeout = .milliseconds(200)
        let good = try Frame.call(3, TestServer.echo, Text("hello"), timeout: 100, metadata: ["a": "b"]).wire
        try await TestServer.run(limits) { server in
            let witness = try await RPCConnection.connect(to: server.address)
            for round in 0..<2000 {
                var bytes: [UInt8]
                if round.isMultiple(of: 2) {
                    bytes = (0..<random.next(below: 600)).map { _ in UInt8(random.next(below: 256)) }
                    // Half of them with a length that can be met, so that the frame itself is read.
                    if round.isMultiple(of: 4), bytes.count > 4 { bytes = Frame.wire(bytes) }
                } else {
                    bytes = good + good + good
                    for _ in 0...random.next(below: 6) {
                        bytes[random.next(below: bytes.count)] = UInt8(random.next(below: 256))
                    }
                }
                let peer = try await RawPeer.connect(to: server.address)
                try? await peer.say(bytes)
                if round.isMultiple(of: 3) { try? await peer.shutOutput() }
                if round.isMultiple(of: 500) {
                    let reply: Text = try await witness.call(TestServer.echo, Text("still here"))
                    #expect(reply.value == "still here")
                }
                await peer.close()
            }
            try await eventually("only the witness is left") { server.statistics.openConnections == 1 }
            try await eventually("nothing is held") {
                server.statistics.heldBytes == 0 && server.statistics.callsInFlight == 0
            }
            await witness.close()
        }
    }
}
