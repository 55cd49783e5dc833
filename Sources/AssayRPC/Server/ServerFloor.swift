import Logging
import NIOCore
import Synchronization

/// What all connections of one server share.
final class ServerFloor: Sendable {
    let limits: RPCLimits
    let methods: [RPCMethod]
    let admission: Admission
    /// Half of the bytes that are held, so that there is room for whole calls however many frames never end.
    let partialFrames: HeldPlaces
    let unreadAnswers: HeldPlaces
    let roster: ConnectionRoster
    let handshakes: Handshakes
    let log: ConnectionLog
    private let tally = Mutex(RPCStatistics())
    private let clocks = Mutex<[ObjectIdentifier: NIOLoopBound<AlarmClock>]>([:])

    init(limits: RPCLimits, methods: [RPCMethod], logger: Logger) {
        (self.limits, self.methods) = (limits, methods)
        admission = Admission(limits)
        partialFrames = HeldPlaces(limit: limits.maxHeldBytesTotal / 2)
        unreadAnswers = HeldPlaces(limit: limits.maxOutboundBytesTotal)
        roster = ConnectionRoster(limit: limits.maxConnections)
        handshakes = Handshakes(limit: limits.maxHandshakes)
        log = ConnectionLog(logger)
    }

    /// The clock of an event loop. On that loop only.
    func clock(of loop: any EventLoop) -> AlarmClock {
        let clock = clocks.withLock { clocks in
            let clock = clocks[ObjectIdentifier(loop)] ?? NIOLoopBound(AlarmClock(loop: loop), eventLoop: loop)
            clocks[ObjectIdentifier(loop)] = clock
            return clock
        }
        return clock.value
    }

    func count(_ change: (inout RPCStatistics) -> Void) { tally.withLock { change(&$0) } }

    var statistics: RPCStatistics {
        var statistics = tally.withLock { $0 }
        statistics.openConnections = roster.count
        statistics.acceptedConnections = roster.accepted
        statistics.handshakesUnderWay = handshakes.underWay
        statistics.callsInFlight = admission.held.calls
        statistics.heldBytes = admission.held.bytes
        return statistics
    }
}
