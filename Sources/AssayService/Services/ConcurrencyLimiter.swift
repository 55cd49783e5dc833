import AssayRPC
import Synchronization

/// Lets in a few calls at a time of those whose work takes long, such as a thousand records to read, so that the threads are left
/// to those whose work is short. The others wait, hold no thread while they do, and callers take turns. A call is authorised
/// before it waits. How many may wait is the transport's bound on calls in flight.
package final class ConcurrencyLimiter: Sendable {
    private struct State {
        var free: Int
        /// While something waits, nothing is free.
        var waiting = FairQueue<PeerIdentity, CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>

    package init(places: Int) { state = Mutex(State(free: max(1, places))) }

    /// Does the work of a call when it is its turn; not at all if the call was abandoned before, by its caller or its deadline.
    func pass<T: Sendable>(
        _ call: RPCCall, _ work: () async throws(RPCError) -> T
    ) async throws(RPCError) -> T {
        await enter(call.caller)
        defer { leave() }
        guard !call.isAbandoned else { throw call.abandonment }
        return try await work()
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

    /// The place goes to the next one; it is free only if nothing waits.
    private func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
