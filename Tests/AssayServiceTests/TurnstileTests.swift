import AssayRPC
import Synchronization
import Testing

@testable import AssayService

@Suite("Turnstile")
struct TurnstileTests {
    private static func call() -> RPCCall {
        RPCCall(method: "/test", message: [], peer: House.loopback, timeout: nil) { _ in }
    }

    /// Who is inside, and has been.
    private final class Tally: Sendable {
        private let state = Mutex((inside: 0, most: 0, done: 0))
        var most: Int { state.withLock { $0.most } }
        var done: Int { state.withLock { $0.done } }

        func enter() {
            state.withLock { state in
                state.inside += 1
                state.most = max(state.most, state.inside)
            }
        }

        func leave() {
            state.withLock { state in
                state.inside -= 1
                state.done += 1
            }
        }
    }

    @Test("lets in so many at a time and all in the end", arguments: [1, 3])
    func places(_ places: Int) async throws {
        let (turnstile, tally) = (Turnstile(places: places), Tally())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await turnstile.pass(Self.call()) { () async throws(RPCError) in
                        tally.enter()
                        await Task.yield()
                        tally.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(tally.done == 200 && tally.most <= places)
    }

    @Test("goes on when somebody's work fails")
    func failure() async throws {
        let turnstile = Turnstile(places: 1)
        await #expect(throws: RPCError.self) {
            try await turnstile.pass(Self.call()) { () async throws(RPCError) in throw .denied }
        }
        let number = try await turnstile.pass(Self.call()) { () async throws(RPCError) in 7 }
        #expect(number == 7)
    }
}
