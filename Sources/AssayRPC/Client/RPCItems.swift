package import SwiftProtobuf
import Synchronization

/// The messages of a server stream, for one task to iterate once. The call is cancelled when that task is cancelled, and when the
/// sequence is released before its end.
package struct RPCItems<Item: SwiftProtobuf.Message>: AsyncSequence, Sendable {
    package typealias Element = Item
    package typealias Failure = RPCError

    private let stream: OpenStream

    /// - Parameter cancel: ends the call, and the queue with it; it has no effect after the end.
    package init(_ queue: ItemQueue, cancel: @escaping @Sendable () -> Void) { stream = OpenStream(queue, cancel) }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream) }

    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let stream: OpenStream

        package mutating func next() async throws(RPCError) -> Item? {
            try await next(isolation: #isolation)
        }

        /// Returns the items that arrived, and then throws the error that ended the stream: the server's, or the connection's.
        package mutating func next(isolation actor: isolated (any Actor)?) async throws(RPCError) -> Item? {
            guard let bytes = try await stream.next() else { return nil }
            guard let item = try? Item(serializedBytes: bytes) else {
                stream.cancel()
                throw .undecodableReply
            }
            return item
        }
    }
}

/// Cancels the call when the last iterator is released. Cancelling a call that has ended has no effect.
private final class OpenStream: Sendable {
    private let queue: ItemQueue
    let cancel: @Sendable () -> Void

    init(_ queue: ItemQueue, _ cancel: @escaping @Sendable () -> Void) { (self.queue, self.cancel) = (queue, cancel) }

    deinit {
        cancel()
        queue.drop()
    }

    func next() async throws(RPCError) -> [UInt8]? {
        let result: Result<[UInt8]?, RPCError> = await withTaskCancellationHandler {
            do throws(RPCError) { return .success(try await queue.next()) } catch { return .failure(error) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }
}

/// The items of one stream, between what reads them from the network and the one task that consumes them.
package final class ItemQueue: Sendable {
    private struct State {
        var items: [[UInt8]] = []
        /// The index of the first item that is not taken.
        var next = 0
        var end: Result<Void, RPCError>?
        var consumer: CheckedContinuation<Void, Never>?

        mutating func takeItem() -> [UInt8]? {
            guard next < items.count else { return nil }
            defer {
                next += 1
                if next == items.count { (items, next) = ([], 0) }
            }
            return items[next]
        }

        mutating func takeConsumer() -> CheckedContinuation<Void, Never>? {
            defer { consumer = nil }
            return consumer
        }
    }

    private let state = Mutex(State())
    private let budget: ItemBudget

    package init(budget: ItemBudget) { self.budget = budget }

    package func push(_ item: [UInt8]) {
        let consumer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            budget.add(item.count)
            state.items.append(item)
            return state.takeConsumer()
        }
        consumer?.resume()
    }

    /// Ends the stream. The first end counts; items that are queued are still taken.
    package func end(_ error: RPCError?) {
        let consumer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            state.end = error.map { .failure($0) } ?? .success(())
            return state.takeConsumer()
        }
        consumer?.resume()
    }

    /// Drops the items that are queued, when the consumer is gone.
    func drop() {
        let bytes = state.withLock { state in
            defer { (state.items, state.next) = ([], 0) }
            return state.items[state.next...].reduce(0) { $0 + $1.count }
        }
        budget.subtract(bytes)
    }

    /// The next item, or nil at the end. Only one task may wait at a time.
    func next() async throws(RPCError) -> [UInt8]? {
        while true {
            let (item, end) = state.withLock { ($0.takeItem(), $0.end) }
            if let item {
                budget.subtract(item.count)
                return item
            }
            if let end {
                try end.get()
                return nil
            }
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.items.count == state.next, state.end == nil, state.consumer == nil else { return false }
                    state.consumer = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }
}

/// The bytes of the items that wait in all queues of one connection.
package final class ItemBudget: Sendable {
    private let limit: Int
    private let queued = Atomic(0)
    private let onSpace: @Sendable () -> Void

    /// - Parameter onSpace: called from any thread when the budget is full no longer.
    package init(limit: Int, onSpace: @escaping @Sendable () -> Void) { (self.limit, self.onSpace) = (limit, onSpace) }

    package var isFull: Bool { queued.load(ordering: .relaxed) > limit }

    func add(_ count: Int) { queued.wrappingAdd(count, ordering: .relaxed) }

    func subtract(_ count: Int) {
        let (old, new) = queued.wrappingSubtract(count, ordering: .relaxed)
        if old > limit, new <= limit { onSpace() }
    }
}
