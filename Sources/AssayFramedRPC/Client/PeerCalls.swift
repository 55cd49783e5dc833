import AssayProtobuf
package import AssayRPC
import NIOCore
import Synchronization

/// Answers the calls that the other side begins on a client's own connection, as a plugin does.
package protocol PeerCallHandler: Sendable {
    /// Called on the connection's event loop, which it must not block.
    ///
    /// - Parameters:
    ///   - method: the gRPC path.
    ///   - message: the serialised request.
    ///   - answer: called once, from any thread.
    func handle(
        _ method: String, _ message: [UInt8], answer: @escaping @Sendable (Result<[UInt8], RPCError>) -> Void)
}

/// The calls of the other side whose replies have not left yet. Their ids have nothing to do with those of the calls that this side began.
final class PeerCalls: Sendable {
    /// More calls are answered `too_many_calls`. A call counts until its reply is handed to the socket, so that a side that does not read
    /// has no more than these replies waiting.
    static let limit = 16

    private struct State {
        /// Calls that the handler works on.
        var begun: Set<UInt64> = []
        /// Calls whose reply waits in the outbox.
        var answered: Set<UInt64> = []
    }

    private let handler: any PeerCallHandler
    private let outbox: Outbox
    private let limits: RPCConnectionLimits
    private let state = Mutex(State())

    init(_ handler: any PeerCallHandler, outbox: Outbox, limits: RPCConnectionLimits) {
        (self.handler, self.outbox, self.limits) = (handler, outbox, limits)
    }

    /// Begins a call. Throws for what breaks the protocol. False: the other side calls without reading the answers.
    func begin(_ id: UInt64, _ fields: CallFields, _ bytes: UnsafeRawBufferPointer) throws(GoAwayReason) -> Bool {
        guard id != 0 else { throw .callIDZero }
        guard let method = bytes.text(fields.method) else { throw .undecodableFrame }
        let (isNew, isFull) = state.withLock { state in
            guard !state.begun.contains(id), !state.answered.contains(id) else { return (false, false) }
            guard state.begun.count + state.answered.count < Self.limit else { return (true, true) }
            state.begun.insert(id)
            return (true, false)
        }
        guard isNew else { throw .duplicateCallID }
        guard !isFull else { return outbox.answer(atMost: limits.maxAnswerBytes) { $0.writeReply(id, .tooManyCalls) } }
        handler.handle(method, Array(bytes[fields.message])) { self.answer(id, $0) }
        return true
    }

    /// Forgets calls whose replies were handed to the socket.
    func forget(_ replied: [UInt64]) {
        guard !replied.isEmpty else { return }
        state.withLock { $0.answered.subtract(replied) }
    }

    private func answer(_ id: UInt64, _ result: Result<[UInt8], RPCError>) {
        let isFirst = state.withLock { state in
            guard state.begun.remove(id) != nil else { return false }
            state.answered.insert(id)
            return true
        }
        guard isFirst else { return }
        outbox.add { batch in
            batch.replied.append(id)
            switch result {
            case .success(let message) where message.count + ByteBuffer.frameOverhead <= limits.maxFrameBytes:
                batch.bytes.writeReply(id, message)
            case .success: batch.bytes.writeReply(id, .replyTooLarge)
            case .failure(let error): batch.bytes.writeReply(id, error)
            }
        }
    }
}
