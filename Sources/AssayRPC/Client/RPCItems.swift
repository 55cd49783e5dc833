package import SwiftProtobuf

/// The messages of a server stream, for one task to iterate once. The call is cancelled when that task is, and when the
/// sequence is let go before its end.
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

        /// Throws what the server ended the stream with, or what happened on the way, after the items that came before.
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

/// A stream that somebody may still read. Its end of life cancels the call; a call that has ended takes no notice.
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
