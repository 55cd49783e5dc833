import AssayRPC
import Synchronization

/// The calls of a channel that have not ended, and whether there may be more.
final class CallsInFlight: Sendable {
    private struct State {
        var count = 0
        var refusal: RPCError?
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var waiterCount: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Whether calls are taken.
    var isOpen: Bool { state.withLock { $0.refusal == nil } }

    /// Takes no more calls. The first reason is kept.
    func refuse(_ reason: RPCError) { state.withLock { $0.refusal = $0.refusal ?? reason } }

    func enter() throws(RPCError) {
        let refusal = state.withLock { state in
            if state.refusal == nil { state.count += 1 }
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    func leave() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until no call is in flight, or the task is cancelled.
    func idle() async {
        let id = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIdle = state.withLock { state in
                    guard state.count > 0, !Task.isCancelled else { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isIdle { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}
