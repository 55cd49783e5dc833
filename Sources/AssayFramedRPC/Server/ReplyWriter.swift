import AssayRPC
import NIOCore

/// Turns the answers of one server connection into frames. Handlers call it from their threads.
final class ReplyWriter: CallDestination {
    private let outbox: Outbox
    private let limits: FramedLimits

    init(_ outbox: Outbox, limits: FramedLimits) { (self.outbox, self.limits) = (outbox, limits) }

    func answer(_ answers: [RPCCall.Answer]) {
        let isBatched = answers.first?.call.isBatched ?? false
        var size = answers.count * ByteBuffer.frameOverhead
        // By index, here and below: an iterator would copy each answer, which has space for an error.
        for index in answers.indices { if case .success(let message) = answers[index].answer { size += message.count } }
        outbox.add(flushing: !isBatched) { batch in
            // Grown once for all of them: what waits is copied each time that the buffer doubles.
            batch.bytes.reserveCapacity(minimumWritableBytes: size)
            for index in answers.indices {
                write(answers[index].answer, to: answers[index].call, &batch.bytes)
                batch.answered.append(answers[index].call.id)
            }
        }
    }

    func refuse(_ call: RPCCall, _ error: RPCError) {
        // Not among the answered ones: the client may use the id again before the next flush.
        outbox.add { write(.failure(error), to: call, &$0.bytes) }
        if call.isStream { outbox.wakeSenders() }
    }

    func flush() { outbox.add() }

    /// The last frame of a call: an End for a stream, a Reply for other calls.
    private func write(_ answer: Result<[UInt8], RPCError>, to call: RPCCall, _ bytes: inout ByteBuffer) {
        switch (answer, call.isStream) {
        case (.success(let message), false) where !fits(message): bytes.writeReply(call.id, .replyTooLarge)
        case (.success(let message), false): bytes.writeReply(call.id, message)
        case (.failure(let error), false): bytes.writeReply(call.id, error)
        case (.success, true): bytes.writeEnd(call.id, nil)
        case (.failure(let error), true): bytes.writeEnd(call.id, error)
        }
    }

    func writer(for call: RPCCall) -> RPCStreamWriter {
        RPCStreamWriter { message throws(RPCError) in
            guard self.fits(message) else { throw .replyTooLarge }
            await self.outbox.waitForSpace(above: self.limits.streamHighWaterBytes) { !call.isAbandoned }
            // Checked under the outbox's lock: no item may follow the frame that ends the call, which another thread may write.
            var isSent = false
            let isOpen = self.outbox.add { batch in
                guard call.isOpen else { return }
                batch.bytes.writeItem(call.id, message)
                isSent = true
            }
            guard isOpen else { throw .connectionLost }
            guard isSent else { throw call.abandonment }
        }
    }

    private func fits(_ message: [UInt8]) -> Bool { message.count <= limits.maxFrameBytes - ByteBuffer.frameOverhead }
}
