import Synchronization

/// Bounds how many calls whose work takes long, such as a thousand records to read, are worked on at a time, so that threads are left
/// for short work. The other calls wait without holding a thread, and callers take turns. A call is authorised before it waits. The
/// transport's limit on calls in flight bounds how many wait.
package final class ConcurrencyLimiter: Sendable {
    private struct State {
        var free: Int
        /// Empty while a place is free.
        var waiting = FairQueue<PeerIdentity, CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>

    /// Calls that wait for their turn.
    package var waiting: Int { state.withLock { $0.waiting.cost } }

    package init(places: Int) { state = Mutex(State(free: max(1, places))) }

    /// Does the work of a call when it is its turn. A call that was cancelled or whose deadline has passed by then is not worked on.
    package func pass<T: Sendable>(
        _ call: RPCCall, _ work: () async throws(RPCError) -> T
    ) async throws(RPCError) -> T {
        await enter(call.caller)
        defer { leave() }
        guard !call.isAbandoned else { throw call.abandonment }
        return try await work()
    }

    /// Does work that a caller has asked for, when it is the caller's turn.
    package func pass<T: Sendable>(of caller: PeerIdentity, _ work: () async -> T) async -> T {
        await enter(caller)
        defer { leave() }
        return await work()
    }

    private func enter(_ caller: PeerIdentity) async {
        await withCheckedContinuation { continuation in
            let mayEnter = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation, of: caller)
                    return false
                }
                state.free -= 1
                return true
            }
            if mayEnter { continuation.resume() }
        }
    }

    /// Hands the place to the next call that waits, or frees it.
    private func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
