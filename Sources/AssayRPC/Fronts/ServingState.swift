package import Logging
import Synchronization

/// The state that the calls of all fronts of a daemon share: the bounds on what they hold, the accounts of their callers, the order
/// in which they start, and their counts. One caller has one account for all fronts.
package final class ServingState: Sendable {
    package let limits: CallLimits
    package let callers = CallerRegister()
    package let admission: Admission
    let queue: CallQueue
    let chunks: CallChunks
    private let log: PeerLog
    private let started = Atomic(0)
    private let refused = Mutex<[String: Int]>([:])
    /// When a call was started last that was not the only one in flight.
    private let company = Mutex<ContinuousClock.Instant?>(nil)
    /// How long a load is taken to go on after calls that were in flight together. Where calls come more seldom, they are rarely together.
    private static let companyLasts = Duration.milliseconds(50)

    /// - Parameter processors: how many processors the daemon may use.
    package init(_ limits: CallLimits = CallLimits(), processors: Int, logger: Logger) {
        self.limits = limits
        admission = Admission(limits)
        queue = CallQueue(slots: processors)
        chunks = CallChunks(processors: max(1, processors))
        log = PeerLog(logger)
    }

    /// Counts a call that was answered in place of a handler, without a line in the log.
    package func countRefusal(because reason: String) { refused.withLock { $0[reason, default: 0] += 1 } }

    /// Counts a call that was refused, and logs it if an operator should know: for lack of capacity.
    package func refused(because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        countRefusal(because: reason)
        guard Self.loggedRefusals.contains(reason) else { return }
        log.warn("refused a call", because: reason, peer, caller)
    }

    private static let loggedRefusals: Set<String> = [RPCError.overloaded.reason, RPCError.tooManyCalls.reason]

    /// A call was received that is started beside others.
    func noteCompany(at received: ContinuousClock.Instant) {
        company.withLock { last in last = max(last ?? received, received) }
    }

    /// Whether calls were in flight together shortly before.
    func hadCompany(at received: ContinuousClock.Instant) -> Bool {
        company.withLock { last in last.map { received - $0 < Self.companyLasts } ?? false }
    }

    func countStarted(_ calls: Int) { started.wrappingAdd(calls, ordering: .relaxed) }

    /// The counts of calls; those of connections are zero.
    package var statistics: RPCStatistics {
        var statistics = RPCStatistics()
        statistics.refusedCalls = refused.withLock { $0 }
        statistics.callsStarted = started.load(ordering: .relaxed)
        let held = admission.held
        (statistics.callsInFlight, statistics.heldBytes) = (held.calls, held.bytes)
        statistics.callsWaiting = queue.waitingCount
        return statistics
    }

    /// The counts of calls and of the fronts' connections.
    package func statistics(with fronts: [any RPCFront]) -> RPCStatistics {
        fronts.reduce(statistics) { $0 + $1.statistics }
    }
}

/// Counts since the start, and what is open or held now. A front counts its connections and bytes, ``ServingState`` counts the calls
/// of all fronts; each leaves the other's fields at zero, so that a daemon's statistics are their sum.
package struct RPCStatistics: Hashable, Sendable {
    // Of connections.
    package var openConnections = 0
    package var acceptedConnections = 0
    /// Connections whose TLS handshake has not ended. They are not open yet.
    package var handshakesUnderWay = 0
    package var bytesReceived = 0
    package var bytesSent = 0
    /// Connections that the server ended, by reason. The framed server's reasons are those of GoAway, of a refused handshake, and
    /// `write_timeout`, `outbound_overflow`, `reset`.
    package var endedConnections: [String: Int] = [:]

    // Of calls.
    /// Calls that are admitted and that their handlers have not released.
    package var callsInFlight = 0
    /// Groups of calls in flight that wait for their caller's turn.
    package var callsWaiting = 0
    /// Bytes of the calls in flight, and of requests that have arrived in part.
    package var heldBytes = 0
    /// Calls that reached a handler.
    package var callsStarted = 0
    /// Calls that were answered in place of a handler, by the answer's reason.
    package var refusedCalls: [String: Int] = [:]

    package init() {}

    package static func + (one: RPCStatistics, other: RPCStatistics) -> RPCStatistics {
        var sum = one
        sum.openConnections += other.openConnections
        sum.acceptedConnections += other.acceptedConnections
        sum.handshakesUnderWay += other.handshakesUnderWay
        sum.bytesReceived += other.bytesReceived
        sum.bytesSent += other.bytesSent
        sum.endedConnections.merge(other.endedConnections, uniquingKeysWith: +)
        sum.callsInFlight += other.callsInFlight
        sum.callsWaiting += other.callsWaiting
        sum.heldBytes += other.heldBytes
        sum.callsStarted += other.callsStarted
        sum.refusedCalls.merge(other.refusedCalls, uniquingKeysWith: +)
        return sum
    }
}
