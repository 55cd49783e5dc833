package import SwiftProtobuf

/// Where a stream handler sends its messages.
package struct RPCStreamWriter: Sendable {
    private let write: @Sendable ([UInt8]) async throws(RPCError) -> Void

    /// - Parameter write: takes one serialised message, suspends while there is no room, throws when nobody wants more.
    package init(_ write: @escaping @Sendable ([UInt8]) async throws(RPCError) -> Void) { self.write = write }

    /// Sends one message. Suspends while the peer does not read what was sent before; throws CANCELLED, DEADLINE_EXCEEDED or
    /// UNAVAILABLE once the call is abandoned, INTERNAL if the message does not fit into a frame.
    package func send(_ message: some SwiftProtobuf.Message) async throws(RPCError) {
        guard let bytes: [UInt8] = try? message.serializedBytes() else { throw .unserialisable }
        try await write(bytes)
    }
}
