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

/// The calls of the other side that are not answered yet. Their ids have nothing to do with those of the calls that this side began.
final class PeerCalls: Sendable {
    /// More calls are answered `too_many_calls`.
    static let limit = 16

    private let handler: any PeerCallHandler
    private let outbox: Outbox
    private let limits: RPCConnectionLimits
    private let open = Mutex(Set<UInt64>())

    init(_ handler: any PeerCallHandler, outbox: Outbox, limits: RPCConnectionLimits) {
        (self.handler, self.outbox, self.limits) = (handler, outbox, limits)
    }

    /// Begins a call. Throws for what breaks the protocol, and if the other side calls without reading the answers.
    func begin(_ id: UInt64, _ fields: CallFields, _ bytes: UnsafeRawBufferPointer) throws(GoAwayReason) {
        guard id != 0 else { throw .callIDZero }
        guard let method = bytes.text(fields.method) else { throw .undecodableFrame }
        guard outbox.waitingBytes <= limits.maxOutboundBytes else { throw .overloaded }
        let (isNew, isFull) = open.withLock { open in
            guard open.count < Self.limit || open.contains(id) else { return (true, true) }
            return (open.insert(id).inserted, false)
        }
        guard isNew else { throw .duplicateCallID }
        guard !isFull else {
            outbox.add { $0.bytes.writeReply(id, .tooManyCalls) }
            return
        }
        handler.handle(method, Array(bytes[fields.message])) { self.answer(id, $0) }
    }

    private func answer(_ id: UInt64, _ result: Result<[UInt8], RPCError>) {
        guard open.withLock({ $0.remove(id) }) != nil else { return }
        outbox.add { batch in
            switch result {
            case .success(let message) where message.count + ByteBuffer.frameOverhead <= limits.maxFrameBytes:
                batch.bytes.writeReply(id, message)
            case .success: batch.bytes.writeReply(id, .replyTooLarge)
            case .failure(let error): batch.bytes.writeReply(id, error)
            }
        }
    }
}
