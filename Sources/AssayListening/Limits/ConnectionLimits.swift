/// The limits of the connections of one server, over all its addresses.
package struct ConnectionLimits: Hashable, Sendable {
    /// Open connections. Each takes a descriptor; with handshakes and the ledger's files that stays below 20,000, which small machines
    /// allow.
    package var maxConnections = 16_384

    /// From accept to the end of the TLS handshake; then the connection is closed.
    package var handshakeTimeout = Duration.seconds(5)
    /// Handshakes in progress; beyond it the oldest is closed. They count beside the open connections.
    package var maxHandshakes = 2048

    /// The longest time between two checks of a connection: whether the caller's certificate and the CAs are still valid. A check
    /// also takes place when the certificate expires.
    package var certificateInterval = Duration.seconds(30)

    /// Which connections give way to a newcomer where all places are taken: those that have got no further. Where each may have to give
    /// way, a newcomer is always served, and no place is reserved.
    package var givesWay = ConnectionPlaces.Stage.silent

    package init() {}
}
