package import SwiftProtobuf

/// A client's way to a server, by one transport. Calls are multiplexed: any number of tasks may make any number of calls at once.
///
/// When ``isOpen`` is false, make another one. One that is released without ``close()`` is closed at once.
package protocol RPCChannel: Sendable {
    /// Whether calls are taken.
    var isOpen: Bool { get }

    /// Makes a call and waits for its answer. Cancelling the task cancels the call.
    ///
    /// - Parameter timeout: sent to the server as the deadline, and enforced here too. Nil: wait until the connection ends.
    func call<Reply: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, returning: Reply.Type, timeout: Duration?,
        metadata: RPCMetadata
    ) async throws(RPCError) -> Reply

    /// Makes a call whose answer is a stream of messages. The stream keeps the channel open, as a waiting call does.
    func stream<Item: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, of: Item.Type, timeout: Duration?, metadata: RPCMetadata
    ) throws(RPCError) -> RPCItems<Item>

    /// The time that a question takes to the server and back, which no method sees.
    func ping() async throws(RPCError) -> Duration

    /// Takes no more calls, waits for those in flight for a bounded time, and closes.
    func close() async
}
