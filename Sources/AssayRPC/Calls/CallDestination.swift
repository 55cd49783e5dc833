package import SwiftProtobuf

/// Where the answer of a call goes: the connection that the call came on, whatever the front, or a closure in its place.
package protocol CallDestination: AnyObject, Sendable {
    /// Takes the answers of calls that a handler answered first. Called from any thread, once for each call.
    func answer(_ answers: [RPCCall.Answer])
    /// Takes the last bytes of a call that ends in its handler's place: cancelled, or its deadline has passed. Called on the connection's
    /// thread. The call's id may be used again at once.
    func refuse(_ call: RPCCall, _ error: RPCError)
    /// Sends the answers that were given. Called from any thread, once for each batch, when the handler has returned.
    func flush()
    /// The writer for the messages of a call of a stream method.
    func writer(for call: RPCCall) -> RPCStreamWriter
}

extension RPCCall {
    /// A call without a connection, for handing to a handler directly. `onAnswer` gets the serialised answer, once.
    package convenience init(
        method: String, message: [UInt8], metadata: RPCMetadata = [:], peer: RPCPeer, timeout: Duration? = nil,
        onAnswer: @escaping @Sendable (Result<[UInt8], RPCError>) -> Void
    ) {
        let now = ContinuousClock.now
        self.init(
            id: 1, method: method, message: message, metadata: metadata, received: now,
            timeout: timeout, isStream: false,
            session: RPCSession(peer), destination: ClosureDestination(onAnswer))
    }
}

private final class ClosureDestination: CallDestination {
    private let onAnswer: @Sendable (Result<[UInt8], RPCError>) -> Void

    init(_ onAnswer: @escaping @Sendable (Result<[UInt8], RPCError>) -> Void) { self.onAnswer = onAnswer }

    func answer(_ answers: [RPCCall.Answer]) {
        // Calls that were handed over together have a closure each.
        for (call, answer) in answers { (call.destination as? ClosureDestination)?.onAnswer(answer) }
    }

    func refuse(_ call: RPCCall, _ error: RPCError) { onAnswer(.failure(error)) }
    func flush() {}

    func writer(for call: RPCCall) -> RPCStreamWriter {
        RPCStreamWriter { _ throws(RPCError) in throw .cancelled }
    }
}

/// Sends the messages of one stream call.
package struct RPCStreamWriter: Sendable {
    private let write: @Sendable ([UInt8]) async throws(RPCError) -> Void

    /// - Parameter write: sends one serialised message. It suspends while the peer does not read, and throws once the call is
    ///   abandoned.
    package init(_ write: @escaping @Sendable ([UInt8]) async throws(RPCError) -> Void) { self.write = write }

    /// Sends one message. Suspends while the peer does not read what was sent before. Throws CANCELLED, DEADLINE_EXCEEDED or
    /// UNAVAILABLE once the call is abandoned, and INTERNAL if the message is too long for the front.
    package func send(_ message: some SwiftProtobuf.Message) async throws(RPCError) {
        try await write(try message.serialised())
    }

    /// Sends one message that is serialised already.
    package func send(_ message: [UInt8]) async throws(RPCError) { try await write(message) }
}
