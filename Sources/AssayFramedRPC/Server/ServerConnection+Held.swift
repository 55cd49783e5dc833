import AssayRPC
import NIOCore

/// What the server holds for the connection: a frame that has arrived in part, and answers that the peer does not read.
extension ServerConnection {
    /// Accounts for the partial frame, for its timeout and for the daemon-wide bound.
    func notePartialFrame(isNew: Bool) {
        let bytes = splitter.heldBytes
        if bytes == 0 {
            partialSince = nil
        } else if isNew || partialSince == nil {
            partialSince = now
        }
        guard bytes != partialBytes else { return }
        server.service.state.admission.release(Admission.Share(bytes: partialBytes), of: usage)
        partialBytes = bytes
        guard server.service.state.admission.admit(Admission.Share(bytes: bytes), for: usage) == nil else {
            partialBytes = 0
            return goAway(.overloaded)
        }
        guard bytes > 0, let loop = context?.eventLoop else { return server.partialFrames.forget(ObjectIdentifier(self)) }
        server.partialFrames.note(
            ObjectIdentifier(self), bytes: bytes, since: partialSince ?? now,
            giveWay: later(on: loop) { if $0.partialBytes > 0 { $0.goAway(.overloaded) } })
    }

    func forgetPartialFrame() {
        splitter.reset()
        forgetHeldPart()
        partialSince = nil
    }

    /// Gives back what is held for a partial frame, which is counted again with the next one.
    func forgetHeldPart() {
        server.partialFrames.forget(ObjectIdentifier(self))
        server.service.state.admission.release(Admission.Share(bytes: partialBytes), of: usage)
        partialBytes = 0
    }

    /// Accounts for the answers that the peer does not read, for the daemon-wide bound.
    func noteUnreadAnswers(_ context: ChannelHandlerContext) {
        guard !context.channel.isWritable else {
            if unreadSince != nil { server.unreadAnswers.forget(ObjectIdentifier(self)) }
            return unreadSince = nil
        }
        let buffered = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        let since = unreadSince ?? now
        unreadSince = since
        server.unreadAnswers.note(
            ObjectIdentifier(self), bytes: outbox.waitingBytes + buffered, since: since,
            giveWay: later(on: context.eventLoop) { if $0.unreadSince != nil { $0.close(because: EndReason.outboundOverflow) } }
        )
    }

    /// A closure that runs `body` on the connection's loop; any thread may call it.
    private func later(
        on loop: any EventLoop, _ body: @escaping @Sendable (ServerConnection) -> Void
    ) -> @Sendable () -> Void {
        let connection = NIOLoopBound(self, eventLoop: loop)
        return { loop.execute { body(connection.value) } }
    }
}
