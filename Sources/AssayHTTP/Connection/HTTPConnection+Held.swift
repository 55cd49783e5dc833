import AssayListening
import AssayRPC
import NIOCore

/// What is held for the peer: requests that have arrived in part, and answers that it does not read.
extension HTTPConnection {
    /// Accounts for the requests that have come in part, for the daemon-wide bound. Beyond it they are refused.
    func notePartialRequests() {
        let bytes = partial.bytes
        guard bytes != partialBytes else { return }
        let (admission, own) = (server.service.state.admission, sessions.own.usage)
        admission.release(Admission.Share(bytes: partialBytes), of: own)
        partialBytes = bytes
        guard admission.admit(Admission.Share(bytes: bytes), for: own) == nil else {
            partialBytes = 0
            return refusePartialRequests()
        }
        guard bytes > 0 else { return forgetPartialRequests() }
        server.partialRequests.note(
            ObjectIdentifier(self), bytes: bytes, since: partial.since ?? now,
            giveWay: later {
                guard $0.partialBytes > 0 else { return }
                $0.refusePartialRequests()
                $0.flush()
            })
    }

    /// Gives back what is held for requests that have come in part.
    func forgetPartialRequests() {
        server.partialRequests.forget(ObjectIdentifier(self))
        server.service.state.admission.release(Admission.Share(bytes: partialBytes), of: sessions.own.usage)
        partialBytes = 0
    }

    private func refusePartialRequests() {
        for exchange in exchanges.values where exchange.heldBytes > 0 { refuse(exchange, .overloaded) }
        forgetPartialRequests()
    }

    /// Refuses a request of which a part has come.
    func refuse(_ exchange: Exchange, _ error: RPCError) {
        switch exchange.state {
        case .reading(let intake): refuse(exchange, error, intake.form, intake.session)
        case .conversing(let form): refuse(exchange, error, form, nil)
        case .waiting, .decoding, .answered: break
        }
    }

    /// Accounts for the answers that the peer does not read, for the daemon-wide bound.
    func noteUnreadAnswers() {
        let unread = unreadBytes
        guard unread > 0 else { return forgetUnreadAnswers() }
        let since = unreadSince ?? now
        unreadSince = since
        server.unreadAnswers.note(
            ObjectIdentifier(self), bytes: unread, since: since, giveWay: later { $0.giveWayIfUnread() })
    }

    /// What was answered and is not in the socket's buffer.
    private var unreadBytes: Int {
        guard outbox.waitingBytes > 0 || !channel.isWritable || unreadSince != nil else { return 0 }
        return outbox.waitingBytes + ((try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0)
    }

    /// A peer that has read meanwhile, which nothing told, stays.
    private func giveWayIfUnread() {
        guard unreadSince != nil else { return }
        guard unreadBytes > 0 else { return forgetUnreadAnswers() }
        close(because: .outboundOverflow)
    }

    private func forgetUnreadAnswers() {
        guard unreadSince != nil else { return }
        server.unreadAnswers.forget(ObjectIdentifier(self))
        unreadSince = nil
    }

    /// A closure that runs `body` on the connection's loop; any thread may call it.
    private func later(_ body: @escaping @Sendable (HTTPConnection) -> Void) -> @Sendable () -> Void {
        let connection = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let loop = channel.eventLoop
        return { loop.execute { body(connection.value) } }
    }
}
