import NIOCore

/// The side of a server connection that handlers reach from their threads: it turns answers into frames.
final class ReplyWriter: CallDestination {
    let peer: RPCPeer
    let outbox: Outbox
    let usage: CallerUsage
    private let admission: Admission
    private let limits: RPCLimits

    var caller: PeerIdentity { usage.identity }

    init(peer: RPCPeer, usage: CallerUsage, outbox: Outbox, admission: Admission, limits: RPCLimits) {
        (self.peer, self.usage, self.outbox, self.admission, self.limits) = (peer, usage, outbox, admission, limits)
    }

    func answer(_ answers: [RPCCall.Answer]) {
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

    /// The last frame of a call: an End for a stream, a Reply for every other.
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
            await self.outbox.waitForRoom(above: self.limits.streamHighWaterBytes) { !call.isAbandoned }
            // Judged under the lock: no item follows the frame that ends the call, whoever writes that.
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

extension Admission.Share {
    mutating func add(_ call: RPCCall) {
        calls += call.share.calls
        bytes += call.share.bytes
    }
}
