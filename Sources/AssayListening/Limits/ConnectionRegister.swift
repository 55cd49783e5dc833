package import AssayRPC
package import Logging
import Synchronization

/// The connections of one server: which may be open, which give way, and what is counted of them.
package final class ConnectionRegister: Sendable {
    /// Why a connection is told to end.
    package enum Ending: Hashable, Sendable {
        /// There are as many connections as may be.
        case full
        /// The server stops.
        case stopping
        /// It gives its place to a newcomer, and is not waited for any more.
        case displaced
    }

    /// What happens to a new connection.
    package enum Entry: Hashable, Sendable {
        case serve
        case sendAway(Ending)
        /// Closed without a reason: too many connections are open only to be told why.
        case drop
    }

    package let limits: ConnectionLimits
    package let log: ConnectionLog
    /// TLS handshakes that are in progress.
    let handshakes: ConnectionPlaces
    /// Connections that give way to others where all places are taken.
    private let waiting: ConnectionPlaces
    private let limiter: ConnectionLimiter
    private let counts = Mutex(RPCStatistics())
    private let lastID = Atomic<UInt64>(0)

    package init(_ limits: ConnectionLimits, logger: Logger) {
        self.limits = limits
        let waiting = ConnectionPlaces(limit: .max)
        self.waiting = waiting
        limiter = ConnectionLimiter(limit: limits.maxConnections, reserves: limits.givesWay < .requested) {
            waiting.makeRoom(for: $0)
        }
        handshakes = ConnectionPlaces(limit: limits.maxHandshakes)
        log = ConnectionLog(logger)
    }

    /// Enters an open connection. Whatever the answer, its place is given back when it ends.
    ///
    /// - Parameters:
    ///   - identity: who is counted together for the reserved places.
    ///   - end: ends the connection. Called from any thread, possibly after it has ended.
    package func enter(
        from peer: RPCPeer, as identity: PeerIdentity, end: @escaping @Sendable (Ending) -> Void
    ) -> (entry: Entry, place: ConnectionPlace) {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let number = waiting.enter(from: ConnectionOrigin(peer), at: .silent) { [limiter] in
            limiter.leave(id)
            end(.displaced)
        }
        let entry = limiter.enter(id, of: identity, number, end)
        return (entry, ConnectionPlace(id: id, number: number, in: self))
    }

    fileprivate func advance(_ number: ConnectionPlaces.Number, to stage: ConnectionPlaces.Stage) {
        if stage > limits.givesWay { waiting.leave(number) } else { waiting.advance(number, to: stage) }
    }

    fileprivate func leave(_ id: UInt64, _ number: ConnectionPlaces.Number) {
        waiting.leave(number)
        limiter.leave(id)
    }

    /// Tells every connection to end, later ones included, and returns when the last one has left.
    package func empty() async { await limiter.empty() }

    package func count(_ change: (inout RPCStatistics) -> Void) { counts.withLock { change(&$0) } }

    /// Counts a connection that the server ended.
    ///
    /// - Parameter detail: why, if an operator should know; it is logged.
    package func ended(because reason: String, _ detail: String?, _ peer: RPCPeer, _ caller: PeerIdentity) {
        count { $0.endedConnections[reason, default: 0] += 1 }
        if let detail { log.ended(because: reason, detail, peer, caller) }
    }

    /// Those of connections.
    package var statistics: RPCStatistics {
        var statistics = counts.withLock { $0 }
        statistics.openConnections = limiter.count
        statistics.acceptedConnections = limiter.accepted
        statistics.handshakesUnderWay = handshakes.count
        return statistics
    }
}

/// The place of one connection. It is given back at the latest when nothing refers to it any more.
package final class ConnectionPlace: Sendable {
    private let id: UInt64
    private let number: ConnectionPlaces.Number
    private let register: ConnectionRegister

    fileprivate init(id: UInt64, number: ConnectionPlaces.Number, in register: ConnectionRegister) {
        (self.id, self.number, self.register) = (id, number, register)
    }

    deinit { leave() }

    /// Notes how far the connection has got. It does not go back.
    package func advance(to stage: ConnectionPlaces.Stage) { register.advance(number, to: stage) }

    /// Gives the place back. Idempotent.
    package func leave() { register.leave(id, number) }
}
