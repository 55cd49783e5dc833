import AssayTesting
import NIOCore
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayFramedRPC
@testable import AssayRPC

@Suite("Turns of callers", .timeLimit(.minutes(30)))
struct TurnsTests {
    @Test("one caller's many calls do not delay another caller's call")
    func turns() async throws {
        let names = Mutex("flood")
        // Calls that run or have started, which a later call cannot overtake.
        let begun = 2 * System.coreCount * CallChunks.largest
        let size = 4 * begun + 400
        var limits = RPCLimits.patient
        (limits.maxInFlightPerConnection, limits.maxInFlightPerCaller) = (size, size)
        limits.maxInFlightTotal = 2 * size
        let access = RPCAccess(caller: { _ in names.withLock { $0 } }, refusal: { _, _ in nil }, version: { 0 })
        try await TestServer.run(limits, access: access) { server in
            let flood = try await RawPeer.connect(to: server.address)
            try await flood.say(Frame.pinging.wire)
            _ = try await flood.hear()
            names.withLock { $0 = "honest" }
            let honest = try await RawPeer.connect(to: server.address)
            try await honest.say(Frame.pinging.wire)
            _ = try await honest.hear()
            server.held.pauseWork()
            try await flood.say((1...UInt64(size)).flatMap { try Frame.call($0, TestServer.work).wire })
            try await eventually("the flood is in") { server.statistics.callsInFlight == size }
            try await honest.say(Frame.call(1, TestServer.work).wire)
            try await eventually("the other call is in") { server.statistics.callsInFlight == size + 1 }
            server.held.resumeWork()
            #expect(try await honest.hear()?.text == "done")
            let before = try #require(server.held.notes.firstIndex { $0.contains("honest") })
            #expect(before < 2 * begun, "\(before) of \(size) calls of the flood were done before")
            try await eventually("the flood is over") { server.statistics.callsInFlight == 0 }
            #expect(server.held.notes.count == size + 1)
        }
    }

    @Test("methods with a task for each call start in turn too, and a call that was cancelled before does not start")
    func unary() async throws {
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            let calls = try (1...200).flatMap { try Frame.call($0, TestServer.unaryEcho, Text("\($0)")).wire }
            try await peer.say(calls)
            var answers: Set<String> = []
            while answers.count < 200, let text = try await peer.hear()?.text { answers.insert(text) }
            #expect(answers.count == 200)
            try await peer.say((1...100).flatMap { try Frame.call($0, TestServer.sleep).wire + Frame.cancel($0).wire })
            for _ in 1...100 { #expect(try await peer.hear()?.code == .cancelled) }
            try await eventually("nothing is in flight") { server.statistics.callsInFlight == 0 }
        }
    }
}
