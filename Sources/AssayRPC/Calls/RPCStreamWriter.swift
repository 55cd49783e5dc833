package import SwiftProtobuf

/// Sends the messages of one stream call.
package struct RPCStreamWriter: Sendable {
    private let write: @Sendable ([UInt8]) async throws(RPCError) -> Void

    /// - Parameter write: sends one serialised message. It suspends while the peer does not read, and throws once the call is
    ///   abandoned.
    package init(_ write: @escaping @Sendable ([UInt8]) async throws(RPCError) -> Void) { self.write = write }

    /// Sends one message. Suspends while the peer does not read what was sent before. Throws CANCELLED, DEADLINE_EXCEEDED or
    /// UNAVAILABLE once the call is abandoned, and INTERNAL if the message is too long for the front.
    package func send(_ message: some SwiftProtobuf.Message) async throws(RPCError) {
        guard let bytes: [UInt8] = try? message.serializedBytes() else { throw .unserialisable }
        try await write(bytes)
    }
}
