import Logging
import NIOCore
import Synchronization

/// What all connections of one server share.
final class ServerState: Sendable {
    let limits: RPCLimits
    let methods: [RPCMethod]
    let access: RPCAccess
    let callers = CallerRegister()
    let admission: Admission
    let queue = CallQueue(places: System.coreCount)
    /// Half of the bytes that are held, so that there is room for whole calls however many frames never end.
    let partialFrames: HeldBytesLimiter
    let unreadAnswers: HeldBytesLimiter
    let connectionLimiter: ConnectionLimiter
    let handshakes: HandshakeLimiter
    let log: ConnectionLog
    private let tally = Mutex(RPCStatistics())
    private let clocks = Mutex<[ObjectIdentifier: NIOLoopBound<TimerWheel>]>([:])

    init(limits: RPCLimits, methods: [RPCMethod], access: RPCAccess, logger: Logger) {
        (self.limits, self.methods, self.access) = (limits, methods, access)
        admission = Admission(limits)
        partialFrames = HeldBytesLimiter(limit: limits.maxHeldBytesTotal / 2)
        unreadAnswers = HeldBytesLimiter(limit: limits.maxOutboundBytesTotal)
        connectionLimiter = ConnectionLimiter(limit: limits.maxConnections)
        handshakes = HandshakeLimiter(limit: limits.maxHandshakes)
        log = ConnectionLog(logger)
    }

    /// The clock of an event loop. On that loop only.
    func clock(of loop: any EventLoop) -> TimerWheel {
        let clock = clocks.withLock { clocks in
            let clock = clocks[ObjectIdentifier(loop)] ?? NIOLoopBound(TimerWheel(loop: loop), eventLoop: loop)
            clocks[ObjectIdentifier(loop)] = clock
            return clock
        }
        return clock.value
    }

    func count(_ change: (inout RPCStatistics) -> Void) { tally.withLock { change(&$0) } }

    /// Counts a call that was answered in place of a handler, and logs it if an operator should know.
    func refused(because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        count { $0.refusedCalls[reason, default: 0] += 1 }
        log.refused(because: reason, peer, caller)
    }

    /// Counts a connection that the server ended, and logs it if an operator should know.
    func ended(because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        count { $0.endedConnections[reason, default: 0] += 1 }
        log.ended(because: reason, peer, caller)
    }

    var statistics: RPCStatistics {
        var statistics = tally.withLock { $0 }
        statistics.openConnections = connectionLimiter.count
        statistics.acceptedConnections = connectionLimiter.accepted
        statistics.handshakesUnderWay = handshakes.underWay
        statistics.callsInFlight = admission.held.calls
        statistics.heldBytes = admission.held.bytes
        return statistics
    }
}
