/// What a server has done and is doing. Counts are from its start.
package struct RPCStatistics: Hashable, Sendable {
    package internal(set) var openConnections = 0
    package internal(set) var acceptedConnections = 0
    /// Connections that are not open yet, because TLS is still at its handshake.
    package internal(set) var handshakesUnderWay = 0
    /// Calls being worked on: admitted, and not yet answered and let go by their handler.
    package internal(set) var callsInFlight = 0
    /// Bytes of those calls and of frames that have only partly arrived.
    package internal(set) var heldBytes = 0
    /// Calls that reached a handler.
    package internal(set) var callsStarted = 0
    package internal(set) var bytesReceived = 0
    package internal(set) var bytesSent = 0
    /// Calls answered by the transport in place of a handler, by the answer's reason.
    package internal(set) var refusedCalls: [String: Int] = [:]
    /// Connections that the server ended, by the reason: those of GoAway, those of
    /// ``HandshakeRefusal``, and `write_timeout`, `outbound_overflow`, `reset`.
    package internal(set) var endedConnections: [String: Int] = [:]

    package init() {}
}
