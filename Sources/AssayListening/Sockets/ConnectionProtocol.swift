package import AssayRPC
package import NIOCore

/// What is spoken at the addresses of a server: the framed protocol, HTTP.
package protocol ConnectionProtocol: Sendable {
    /// What TLS offers at its addresses.
    var offer: TLSOffer { get }

    /// Whether TLS demands a certificate of a peer. Asked at the beginning of each handshake. A certificate that is shown is verified in
    /// either case.
    ///
    /// - Parameter address: as it was configured.
    func requiresCertificate(of peer: RPCPeer, at address: RPCAddress) -> Bool

    /// Takes over a connection: adds its handlers to the channel, and enters the connection in the server's register. Called once, on the
    /// channel's event loop: when the connection was accepted, or when its handshake has ended. All handlers are added before it returns,
    /// since bytes may follow at once. What it throws closes the connection.
    ///
    /// A connection that is told ``ConnectionRegister/Ending`` ends within a bounded time, and gives its place back.
    func serve(_ connection: AcceptedConnection) throws
}

/// A connection whose peer is known. Used on its event loop.
package struct AcceptedConnection {
    package let channel: any Channel
    /// With TLS: the names in its verified certificate, none without a certificate.
    package let peer: RPCPeer
    /// Until when the certificate authenticates the peer; `nil` without a certificate.
    package let certificate: PeerCertificateLifetime?
}
