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
        sum.heldBytes += other.heldBytes
        sum.callsStarted += other.callsStarted
        sum.refusedCalls.merge(other.refusedCalls, uniquingKeysWith: +)
        return sum
    }
}
