import AssayListening
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
        server.service.state.admission.release(Admission.Share(bytes: partialBytes), of: sessions.own.usage)
        partialBytes = bytes
        guard server.service.state.admission.admit(Admission.Share(bytes: bytes), for: sessions.own.usage) == nil else {
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
        server.service.state.admission.release(Admission.Share(bytes: partialBytes), of: sessions.own.usage)
        partialBytes = 0
    }

    /// So many bytes are written between two looks at what of them is still here, while the socket takes more.
    private static let bytesBetweenLooks = 16 << 10

    /// Accounts for the answers that the peer does not read, for the daemon-wide bound: also for what waits in the channel of a socket that takes
    /// more, since many connections that each have a little there have much together.
    func noteUnreadAnswers(_ context: ChannelHandlerContext, written: Int) {
        unlooked += written
        guard unreadSince != nil || unlooked >= Self.bytesBetweenLooks || !context.channel.isWritable else { return }
        unlooked = 0
        let unread = unreadBytes(context)
        guard unread > 0 else { return forgetUnreadAnswers() }
        let since = unreadSince ?? now
        unreadSince = since
        server.unreadAnswers.note(
            ObjectIdentifier(self), bytes: unread, since: since,
            giveWay: later(on: context.eventLoop) { $0.giveWayIfUnread() })
    }

    private func unreadBytes(_ context: ChannelHandlerContext) -> Int {
        outbox.waitingBytes + ((try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0)
    }

    /// A peer that has read meanwhile, which nothing told, stays.
    private func giveWayIfUnread() {
        guard let context, unreadSince != nil else { return }
        guard unreadBytes(context) > 0 else { return forgetUnreadAnswers() }
        close(because: EndReason.outboundOverflow)
    }

    private func forgetUnreadAnswers() {
        guard unreadSince != nil else { return }
        server.unreadAnswers.forget(ObjectIdentifier(self))
        unreadSince = nil
    }

    /// A closure that runs `body` on the connection's loop; any thread may call it.
    private func later(
        on loop: any EventLoop, _ body: @escaping @Sendable (ServerConnection) -> Void
    ) -> @Sendable () -> Void {
        let connection = NIOLoopBound(self, eventLoop: loop)
        return { loop.execute { body(connection.value) } }
    }
}
