import AssayListening
import AssayRPC
import NIOCore

/// One connection of the HTTP server: requests become calls, and their answers are written, whatever version of HTTP carries them. Everything
/// here runs on the connection's event loop; handlers reach it through the ``AnswerWriter``.
///
/// This file has its state, its beginning and the flush. `HTTPConnection+Requests.swift` has what comes in, `+Calls` what becomes a call, `+Answers` what goes out, `+Timers` the
/// timeouts, `+Held` the bytes that are held for the peer, and `+Ending` the end.
final class HTTPConnection {
    /// How far the connection is from its end. It only advances.
    enum Stage: Equatable {
        case serving
        /// The client was told that the end comes. Requests that it sent before it knew are taken, until it has answered or the time is over.
        case announced(HTTPEndReason, until: NIODeadline)
        /// The client was told to begin no more; what is in work may finish until `due`.
        case leaving(due: NIODeadline)
        /// Everything is answered; the last bytes are on their way to the socket.
        case flushing
        /// The output is shut; the peer has until `due` to shut its side.
        case lingering(due: NIODeadline)
        case closed
    }

    let server: HTTPServerState
    let channel: any Channel
    let outbox: HTTPOutbox
    let encoder: AnswerEncoder
    let dispatcher: CallDispatcher
    let executor: ConnectionExecutor
    let deadlineTimer: DeadlineTimer
    /// Who makes its calls. What the connection itself holds is on the account of its own session.
    var sessions: RPCSessions
    /// `nil` before it is known which version the peer speaks, and over HTTP/2 before the first call and while the connection rests.
    var transport: (any HTTPTransport)?
    /// Over HTTP/2 before the first call and while the connection rests, in place of the transport.
    var idle: (any HTTPGoingAway)?
    /// When the connection last ended its rest, or tried to begin one.
    var rested = NIODeadline.uptimeNanoseconds(0)
    /// What stands next to the socket; `nil` before the beginning and after the end.
    var meter: ByteMeter?
    var stage = Stage.serving
    var exchanges: [UInt32: Exchange] = [:]
    /// The numbers of the calls in flight, by their exchanges.
    var inFlight: [UInt32: UInt64] = [:]

    // Of the requests of a connection most name the same method in the same format.
    var lastContentType = (text: "", format: CallFormat?.none)
    var lastPath = (text: "", method: HTTPMethods.Entry?.none)

    /// One instant by both clocks, of the last read: the one of calls goes on while the machine sleeps.
    var clocks = (uptime: NIODeadline.now(), instant: ContinuousClock.now)
    var now = NIODeadline.now()
    let opened = NIODeadline.now()
    /// When the last request came whole or the last answer left; nil before the first request.
    var lastRequest: NIODeadline?
    /// When the connection is closed in any case. Set when it begins to leave.
    var hardStop: NIODeadline?
    var writes: WriteTimeout
    /// Nil for a peer without a certificate.
    var certificate: PeerCertificateLifetime?
    let partial = PartialRequests()
    /// Those of ``partial`` that are accounted for.
    var partialBytes = 0
    var unreadSince: NIODeadline?
    var discarded = 0
    /// Of conversations, in the read that is in work.
    var questions = 0
    var inputIsClosed = false
    /// Bytes received since the last whole request that belong to none, less what was sent.
    var overhead = 0
    /// Calls that the peer reset since `since`.
    var resets = (count: 0, since: NIODeadline.now())
    /// Calls of this connection that a configured caller has made.
    var isKnown = false
    var lastLook = NIODeadline.now()
    private(set) var place: ConnectionPlace?

    init(server: HTTPServerState, _ accepted: AcceptedConnection) {
        (self.server, channel, certificate) = (server, accepted.channel, accepted.certificate)
        let loop = accepted.channel.eventLoop
        (outbox, executor) = (HTTPOutbox(loop: loop), ConnectionExecutor(loop))
        encoder = AnswerEncoder(
            methods: server.methods, uploads: UploadCalls(), limit: server.limits.maxMessageBytes)
        sessions = RPCSessions(accepted.peer, in: server.service)
        deadlineTimer = DeadlineTimer(server.timers.wheel(of: loop))
        dispatcher = CallDispatcher(
            server.service, to: AnswerWriter(outbox, encoder, limits: server.limits), maxInFlight: server.limits.maxStreams,
            executor: executor)
        writes = WriteTimeout(timeout: server.limits.socket.writeTimeout)
        isKnown = Self.isKnown(sessions.own)
    }

    static func isKnown(_ session: RPCSession) -> Bool {
        if case .caller = session.identity { true } else { false }
    }

    /// Enters the connection among those of the server, and lets the handlers' answers be written. Called once, when its first handler is in the
    /// pipeline.
    func begin() {
        let loop = channel.eventLoop
        let connection = NIOLoopBound(self, eventLoop: loop)
        outbox.open { connection.value.flush() }
        deadlineTimer.fire = { [unowned self] in sweep() }
        let (entry, place) = server.register.enter(from: sessions.own.peer, as: sessions.own.identity) { ending in
            loop.execute { connection.value.end(ending) }
        }
        self.place = place
        switch entry {
        case .serve: armTimer()
        case .sendAway(let ending): end(ending)
        case .drop: end(.displaced)
        }
    }

    /// When an instant of a call's deadline comes.
    func uptime(of instant: ContinuousClock.Instant) -> NIODeadline { clocks.uptime + TimeAmount(instant - clocks.instant) }

    // MARK: Bytes of the socket

    /// Bytes came from the socket. Called before they are read as anything.
    func received(_ count: Int) {
        // Before the other clock: a deadline may come late by the time between them, and never early.
        let arrived = ContinuousClock.now
        now = .now()
        clocks = (now, arrived)
        server.register.count { $0.bytesReceived += count }
        overhead += count
        questions = 0
    }

    /// Bytes were handed to the socket's channel.
    func sent(_ count: Int) {
        server.register.count { $0.bytesSent += count }
        writes.wrote(count, at: now)
        overhead = max(0, overhead - count)
    }

    /// The bytes that were read have been handed over.
    func readComplete() {
        dispatcher.dispatch()
        notePartialRequests()
        if overhead > server.limits.maxOverheadBytes { leave(.tooMuchOverhead) }
        armTimer()
    }

    /// Writes what waits in the outbox.
    func flush() {
        guard stage != .closed else { return }
        now = .now()
        var answered: [UInt64] = []
        guard let transport else {
            // While the connection rests, an answer may come for a call that its client has ended.
            for output in outbox.take() { write(output, &answered) }
            return dispatcher.answered(answered)
        }
        // HTTP/2 holds back what its peer does not let pass; of HTTP/1.1 it stays here while the socket is full.
        if transport.hasTrailers || channel.isWritable {
            for output in outbox.take() { write(output, &answered) }
        }
        dispatcher.answered(answered)
        transport.proceed()
        // Requests that waited behind the ones answered now.
        dispatcher.dispatch()
        notePartialRequests()
        if !answered.isEmpty, lastRequest != nil { lastRequest = now }
        transport.flush()
        meter?.setPaused(!channel.isWritable)
        guard outbox.waitingBytes <= server.limits.socket.maxOutboundBytes else { return close(because: .outboundOverflow) }
        noteUnreadAnswers()
        if inputIsClosed, case .lingering = stage { return close(because: nil) }
        finishIfDone()
        armTimer()
    }

    /// The place is kept against newcomers once a request has come.
    func noteRequest() {
        if lastRequest == nil { place?.advance(to: .requested) }
        lastRequest = now
        (overhead, discarded) = (0, 0)
    }
}
