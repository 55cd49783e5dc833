import AssayRPC
import NIOCore
import Synchronization

/// The calls of a client connection that wait for their end. Any thread adds and cancels; the event loop hands out answers.
final class PendingCalls: Sendable {
    enum Waiter: Sendable {
        case reply(@Sendable (Result<[UInt8], RPCError>) -> Void)
        case stream(ItemQueue)

        /// Ends the wait. Called once, outside of locks.
        func settle(_ result: Result<[UInt8], RPCError>) {
            switch (self, result) {
            case (.reply(let onReply), _): onReply(result)
            case (.stream(let queue), .success): queue.end(nil)
            case (.stream(let queue), .failure(let error)): queue.end(error)
            }
        }
    }

    private struct Entry {
        let waiter: Waiter
        let due: NIODeadline?
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        /// Why no more calls are taken; nil while they are.
        var refusal: RPCError?
        var end: RPCError?
        /// No waiting call has an earlier deadline.
        var earliest: NIODeadline?
    }

    private let ids = Atomic<UInt64>(0)
    private let state = Mutex(State())

    /// A number that this connection has not used: 1, 2, 3…
    func newID() -> UInt64 { ids.wrappingAdd(1, ordering: .relaxed).newValue }

    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }
    var isRefusing: Bool { state.withLock { $0.refusal != nil } }
    /// Why the connection ended; `nil` while it is open.
    var end: RPCError? { state.withLock { $0.end } }
    var earliest: NIODeadline? { state.withLock { $0.earliest } }

    /// Adds a call, or returns why it cannot be added.
    func add(_ id: UInt64, _ waiter: Waiter, due: NIODeadline?) -> RPCError? {
        state.withLock { state in
            if let refusal = state.refusal { return refusal }
            state.entries[id] = Entry(waiter: waiter, due: due)
            if let due { state.earliest = min(state.earliest ?? due, due) }
            return nil
        }
    }

    func isWaiting(_ id: UInt64) -> Bool { state.withLock { $0.entries[id] != nil } }

    /// Removes a call; nil if it has ended.
    func take(_ id: UInt64) -> Waiter? {
        state.withLock { $0.entries.removeValue(forKey: id)?.waiter }
    }

    /// The queue of a stream that has not ended.
    func queue(_ id: UInt64) -> ItemQueue? {
        state.withLock { state in
            guard case .stream(let queue) = state.entries[id]?.waiter else { return nil }
            return queue
        }
    }

    /// Takes no more calls. The first reason is kept.
    func refuse(_ reason: RPCError) {
        state.withLock { $0.refusal = $0.refusal ?? reason }
    }

    /// Takes no more calls, and removes those that wait.
    ///
    /// - Parameter isOrderly: whether the server ended the connection in order. After a GoAway the waiting calls were then not begun,
    ///   and they get that error.
    func takeAll(_ reason: RPCError, isOrderly: Bool) -> (waiters: [Waiter], reason: RPCError) {
        state.withLock { state in
            let told = isOrderly ? state.refusal ?? reason : reason
            (state.refusal, state.end) = (state.refusal ?? reason, reason)
            defer { state.entries = [:] }
            return (state.entries.values.map(\.waiter), told)
        }
    }

    func takeExpired(_ now: NIODeadline) -> [(id: UInt64, waiter: Waiter)] {
        state.withLock { state in
            guard let earliest = state.earliest, earliest <= now else { return [] }
            let expired = state.entries.filter { $1.due.map { $0 <= now } ?? false }
            for id in expired.keys { state.entries[id] = nil }
            state.earliest = state.entries.values.lazy.compactMap(\.due).min()
            return expired.map { ($0, $1.waiter) }
        }
    }
}
