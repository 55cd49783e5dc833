package import AssayRPC
package import SwiftProtobuf

/// The messages of a server stream, for one task to iterate once. The call is cancelled when that task is cancelled, and when the
/// sequence is released before its end.
package struct RPCItems<Item: SwiftProtobuf.Message>: AsyncSequence, Sendable {
    package typealias Element = Item
    package typealias Failure = RPCError

    private let stream: OpenStream

    init(_ queue: ItemQueue, cancel: @escaping @Sendable () -> Void) { stream = OpenStream(queue, cancel) }

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
