import AssayRPC
import SwiftProtobuf
import Synchronization

/// Lets in a few at a time of those whose work takes long, such as a thousand records to read, so that the threads are left
/// to those whose work is short. The others wait in the order in which they came, and hold no thread while they do. How
/// many may wait is the transport's bound on calls in flight.
package final class Turnstile: Sendable {
    private struct State {
        var free: Int
        /// In order; those before `next` have been let in.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var next = 0

        mutating func takeNext() -> CheckedContinuation<Void, Never>? {
            guard next < waiting.count else {
                (waiting, next) = ([], 0)
                return nil
            }
            defer { next += 1 }
            return waiting[next]
        }
    }

    private let state: Mutex<State>

    package init(places: Int) { state = Mutex(State(free: max(1, places))) }

    /// Handles each call of a method when it is its turn.
    func handler<Response: SwiftProtobuf.Message>(
        _ answer: @escaping @Sendable (RPCCall) async throws(RPCError) -> Response
    ) -> RPCHandler {
        .unary { call async throws(RPCError) in
            try await self.pass(call) { () async throws(RPCError) in try await answer(call) }
        }
    }

    /// Does the work of a call when it is its turn; not at all if the call was abandoned before, by its caller or its deadline.
    func pass<T: Sendable>(
        _ call: RPCCall, _ work: () async throws(RPCError) -> T
    ) async throws(RPCError) -> T {
        await enter()
        defer { leave() }
        guard !call.isAbandoned else { throw .cancelled }
        return try await work()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let mayEnter = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if mayEnter { continuation.resume() }
        }
    }

    /// The place goes to the next one; it is free only if nobody waits.
    private func leave() {
        let next = state.withLock { state in
            let next = state.takeNext()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
