import AssayRPC
import NIOCore

/// Turns the answers of one server connection into frames. Handlers call it from their threads.
final class ReplyWriter: CallDestination {
    let peer: RPCPeer
    let outbox: Outbox
    let usage: CallerUsage
    private let state: ServingState
    private var admission: Admission { state.admission }
    private let limits: FramedLimits

    init(peer: RPCPeer, usage: CallerUsage, outbox: Outbox, state: ServingState, limits: FramedLimits) {
        (self.peer, self.usage, self.outbox, self.state, self.limits) = (peer, usage, outbox, state, limits)
    }

    func answer(_ answers: [RPCCall.Answer]) {
        // A handler that comes too late answers in the timer's place.
        for case (_, .failure(let error)) in answers where error.code == .deadlineExceeded {
            state.countRefusal(because: error.reason)
        }
        let isBatched = answers.first?.call.isBatched ?? false
        let isOpen = outbox.add(flushing: !isBatched) { batch in
            for (call, answer) in answers {
                write(answer, to: call, &batch.bytes)
                batch.answered.append(call.id)
                batch.freed.add(call)
            }
        }
        guard !isOpen else { return }
        for (call, _) in answers { admission.release(call.share, of: usage) }
    }

    func release(_ call: RPCCall) {
        if !outbox.add({ $0.freed.add(call) }) { admission.release(call.share, of: usage) }
    }

    func flush() { outbox.add() }

    /// The last frame of a call: an End for a stream, a Reply for other calls.
    func write(_ answer: Result<[UInt8], RPCError>, to call: RPCCall, _ bytes: inout ByteBuffer) {
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
