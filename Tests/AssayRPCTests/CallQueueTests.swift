import NIOCore
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayRPC

@Suite("Call queue", .timeLimit(.minutes(2)))
struct CallQueueTests {
    private let callers = CallerRegister()

    @Test("starts as many tasks as it has places, and one more for each that begins, callers in turn")
    func places() {
        let (queue, started) = (CallQueue(places: 2), Notes())
        let (flood, honest) = (callers.usage(of: .caller("flood")), callers.usage(of: .caller("honest")))
        for number in 0..<4 { queue.add(of: flood) { started.note("flood \(number)") } }
        #expect(started.all == ["flood 0", "flood 1"])
        #expect(!queue.enter(), "no way past what waits")
        queue.add(of: honest) { started.note("honest") }
        queue.begun()
        queue.begun()
        #expect(started.all == ["flood 0", "flood 1", "flood 2", "honest"])
        for _ in 0..<3 { queue.begun() }
        #expect(started.all.count == 5)
        // All have begun: both places are free again, and no more.
        #expect(queue.enter() && queue.enter() && !queue.enter())
    }

    @Test("is given chunks of at most 32 calls, and of fewer calls where these are long")
    func chunks() {
        func sizes(_ lengths: [Int]) -> [Int] {
            let peer = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
            var rest = lengths.map { length in
                RPCCall(method: "/m", message: [UInt8](repeating: 0, count: length), peer: peer) { _ in }
            }[...]
            var sizes: [Int] = []
            while !rest.isEmpty {
                sizes.append(CallChunks.next(of: rest, size: CallChunks.largest))
                rest = rest.dropFirst(sizes.last ?? 0)
            }
            return sizes
        }
        #expect(sizes(Array(repeating: 500, count: 70)) == [32, 32, 6])
        #expect(sizes(Array(repeating: 5000, count: 8)) == [6, 2])
        #expect(sizes([100_000, 10, 100_000, 100_000]) == [1, 1, 1, 1])
        #expect(sizes([]) == [])
    }

    /// One caller's calls before: everything that was sent earlier had to be done first.
    @Test("does not let one caller's many calls stand before another's one")
    func turns() async throws {
        let names = Mutex("flood")
        // What is running or started and not to be overtaken.
        let begun = 2 * System.coreCount * CallChunks.largest
        let size = 4 * begun + 400
        var limits = RPCLimits()
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
            try await flood.say((1...UInt64(size)).flatMap { try Frame.call($0, TestServer.work).wire })
            try await eventually("the flood is in") { server.statistics.callsInFlight > size - begun }
            let earlier = server.held.notes.count
            try await honest.say(Frame.call(1, TestServer.work).wire)
            #expect(try await honest.hear()?.text == "done")
            let before = server.held.notes.count - earlier
            // And what followed while the answer was on its way.
            #expect(before < 2 * begun, "\(before) of \(size) calls of the flood were done before")
            try await eventually("the flood is over") { server.statistics.callsInFlight == 0 }
            #expect(server.held.notes.count == size + 1)
        }
    }

    @Test("of methods with a task for each call starts them in turn too, and none that was cancelled before")
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

private final class Notes: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func note(_ note: String) { state.withLock { $0.append(note) } }
}
