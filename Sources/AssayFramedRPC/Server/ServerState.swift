import AssayRPC
import Logging
import NIOCore
import Synchronization

/// The state that all connections of one framed server share.
final class ServerState: Sendable {
    let limits: FramedLimits
    let service: RPCService
    /// Half of the bytes that calls may hold, so that frames which never end leave the other half to complete calls.
    let partialFrames: HeldBytesLimiter
    let unreadAnswers: HeldBytesLimiter
    let connectionLimiter: ConnectionLimiter
    /// TLS handshakes that are in progress.
    let handshakes: ConnectionPlaces
    /// Connections from which no whole frame has come. They give way to others where all places are taken.
    let silent: ConnectionPlaces
    let log: ConnectionLog
    private let counts = Mutex(RPCStatistics())
    private let timers = Mutex<[ObjectIdentifier: NIOLoopBound<TimerWheel>]>([:])

    init(limits: FramedLimits, service: RPCService, logger: Logger) {
        (self.limits, self.service) = (limits, service)
        partialFrames = HeldBytesLimiter(limit: service.state.limits.maxHeldBytesTotal / 2)
        unreadAnswers = HeldBytesLimiter(limit: limits.maxOutboundBytesTotal)
        let silent = ConnectionPlaces(limit: .max)
        connectionLimiter = ConnectionLimiter(limit: limits.maxConnections) { silent.makeRoom(for: $0) }
        handshakes = ConnectionPlaces(limit: limits.maxHandshakes)
        self.silent = silent
        log = ConnectionLog(logger)
    }

    /// The timers of an event loop. Called on that loop only.
    func timers(of loop: any EventLoop) -> TimerWheel {
        let wheel = timers.withLock { timers in
            let wheel = timers[ObjectIdentifier(loop)] ?? NIOLoopBound(TimerWheel(loop: loop), eventLoop: loop)
            timers[ObjectIdentifier(loop)] = wheel
            return wheel
        }
        return wheel.value
    }

    func count(_ change: (inout RPCStatistics) -> Void) { counts.withLock { change(&$0) } }

    /// Counts a connection that the server ended, and logs it if an operator should know.
    func ended(because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        count { $0.endedConnections[reason, default: 0] += 1 }
        log.ended(because: reason, peer, caller)
    }

    var statistics: RPCStatistics {
        var statistics = counts.withLock { $0 }
        statistics.openConnections = connectionLimiter.count
        statistics.acceptedConnections = connectionLimiter.accepted
        statistics.handshakesUnderWay = handshakes.count
        return statistics
    }
}

/// Logs connections that the server refused or ended, within limits: enough to explain, and too little to fill the disk. The
/// statistics count all of them.
final class ConnectionLog: Sendable {
    private let warnings: PeerLog
    private let limiter = LogRateLimiter(period: .seconds(60), linesOfOneSource: LogRateLimiter.lineLimit)

    init(_ logger: Logger) { warnings = PeerLog(logger) }

    /// A connection whose handshake failed.
    func refused(_ refusal: HandshakeRefusal, of peer: String, _ detail: String) {
        guard limiter.pass("refused") != nil else { return }
        warnings.logger.notice("refused a connection", metadata: fields(peer, refusal.rawValue, detail))
    }

    /// An open connection whose caller's certificate is not valid any more.
    func ended(_ verdict: PeerCertificateLifetime.Verdict, of peer: String) {
        guard limiter.pass("ended") != nil else { return }
        warnings.logger.info("ended a connection", metadata: fields(peer, verdict.reason.rawValue, verdict.rawValue))
    }

    /// A connection that was ended because of what its peer did or failed to do, or for lack of capacity.
    func ended(because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        guard let detail = Self.loggedEnds[reason] else { return }
        warnings.warn("ended a connection", because: reason, peer, caller, detail)
    }

    private static let loggedEnds: [String: String] = [
        GoAwayReason.emptyFrame.rawValue: "it sent a frame of length 0",
        GoAwayReason.frameTooLarge.rawValue: "it sent a frame longer than the limit",
        GoAwayReason.undecodableFrame.rawValue: "it sent what is no frame",
        GoAwayReason.callIDZero.rawValue: "it sent a call with id 0",
        GoAwayReason.duplicateCallID.rawValue: "it sent a call with the id of one in flight",
        GoAwayReason.frameTimeout.rawValue: "it began a frame and did not finish it",
        GoAwayReason.overloaded.rawValue: "there was no room for a frame that had come in part",
        GoAwayReason.tooManyConnections.rawValue: "there are as many connections as may be",
        EndReason.writeTimeout: "it did not read what was sent to it within the write timeout",
        EndReason.outboundOverflow: "it did not read, and as many answers waited as may",
    ]

    private func fields(_ peer: String, _ reason: String, _ detail: String) -> Logger.Metadata {
        var fields = PeerLog.fields(of: peer, reason)
        fields["detail"] = "\(detail)"
        return fields
    }
}
