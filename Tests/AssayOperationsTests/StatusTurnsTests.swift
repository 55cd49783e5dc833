import AssayRPC
import Synchronization
import Testing

@testable import AssayOperations

@Suite("Turns at the status", .timeLimit(.minutes(30)))
struct StatusTurnsTests {
    /// Holds the first status back until it is told to go on, and notes whose statuses are made.
    private final class Source: Sendable {
        private struct State {
            var made: [RPCPeer] = []
            var first: CheckedContinuation<Void, Never>?
        }
        private let state = Mutex(State())

        var made: [RPCPeer] { state.withLock { $0.made } }

        func status(of peer: RPCPeer) async -> [UInt8]? {
            let isFirst = state.withLock { state in
                state.made.append(peer)
                return state.made.count == 1
            }
            if isFirst { await withCheckedContinuation { continuation in state.withLock { $0.first = continuation } } }
            return []
        }

        /// False: nothing is held back yet.
        func goOn() -> Bool {
            let first = state.withLock { state in
                defer { state.first = nil }
                return state.first
            }
            first?.resume()
            return first != nil
        }
    }

    private final class Client: Sendable { let isThere = Atomic(true) }

    @Test("One caller that asks for many statuses does not keep another waiting")
    func turns() async throws {
        let source = Source()
        let responder = OperationsResponder(
            OperationsSource(
                liveness: { Liveness(problem: nil) }, readiness: { Readiness(causes: []) }, metrics: { _ in [] },
                status: { await source.status(of: $0) }))
        let (greedy, other) = (
            RPCPeer.unix(userID: 1, groupID: 1, processID: 1), RPCPeer.unix(userID: 2, groupID: 1, processID: 1)
        )
        await withTaskGroup(of: Int.self) { group in
            func ask(_ peer: RPCPeer) {
                group.addTask { await responder.answer("GET", "/status", accept: "", peer, TestOperations.all).status }
            }
            ask(greedy)
            while source.made.isEmpty { await Task.yield() }
            for _ in 0..<20 { ask(greedy) }
            while responder.turns.waiting < 20 { await Task.yield() }
            ask(other)
            while responder.turns.waiting < 21 { await Task.yield() }
            #expect(source.made == [greedy], "the others wait")
            while !source.goOn() { await Task.yield() }
            for await status in group { #expect(status == 200) }
        }
        #expect(source.made.count == 22 && source.made.prefix(3).contains(other))
    }

    @Test("No status is made for a client that left while it waited for its turn")
    func left() async throws {
        let source = Source()
        let responder = OperationsResponder(
            OperationsSource(
                liveness: { Liveness(problem: nil) }, readiness: { Readiness(causes: []) }, metrics: { _ in [] },
                status: { await source.status(of: $0) }))
        let peer = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        let client = Client()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await responder.answer("GET", "/status", accept: "", peer, TestOperations.all) }
            while source.made.isEmpty { await Task.yield() }
            group.addTask {
                _ = await responder.answer("GET", "/status", accept: "", peer, TestOperations.all) {
                    client.isThere.load(ordering: .acquiring)
                }
            }
            while responder.turns.waiting < 1 { await Task.yield() }
            client.isThere.store(false, ordering: .releasing)
            while !source.goOn() { await Task.yield() }
        }
        #expect(source.made.count == 1)
    }
}
