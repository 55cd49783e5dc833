import AssayRPC
import Logging
import NIOCore
import Synchronization

/// What all connections of one framed server share.
final class ServerState: Sendable {
    let limits: FramedLimits
    let service: RPCService
    /// Half of the bytes that calls may hold, so that frames which never end leave the other half to complete calls.
    let partialFrames: HeldBytesLimiter
    let unreadAnswers: HeldBytesLimiter
    let connectionLimiter: ConnectionLimiter
    let handshakes: HandshakeLimiter
    let log: ConnectionLog
    private let counts = Mutex(RPCStatistics())
    private let timers = Mutex<[ObjectIdentifier: NIOLoopBound<TimerWheel>]>([:])

    init(limits: FramedLimits, service: RPCService, logger: Logger) {
        (self.limits, self.service) = (limits, service)
        partialFrames = HeldBytesLimiter(limit: service.state.limits.maxHeldBytesTotal / 2)
        unreadAnswers = HeldBytesLimiter(limit: limits.maxOutboundBytesTotal)
        connectionLimiter = ConnectionLimiter(limit: limits.maxConnections)
        handshakes = HandshakeLimiter(limit: limits.maxHandshakes)
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
        statistics.handshakesUnderWay = handshakes.underWay
        return statistics
    }
}
