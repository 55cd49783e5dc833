import AssayListening
import AssayRPC
import NIOCore

/// The framed protocol, as a server speaks it at its addresses.
struct FramedProtocol: ConnectionProtocol {
    /// The ALPN name (RFC 7301). A side that does not name it is refused, so that bytes of another protocol are never read as frames.
    static let name = "assay-rpc/1"

    let server: ServerState
    /// Addresses with TLS at which clients may show no certificate.
    let withoutCertificates: Set<RPCAddress>

    var offer: TLSOffer { FramedServer.offer }

    func requiresCertificate(of peer: RPCPeer, at address: RPCAddress) -> Bool { !withoutCertificates.contains(address) }

    func serve(_ connection: AcceptedConnection) throws {
        let channel = connection.channel
        try channel.pipeline.syncOperations.addHandler(
            ServerConnection(
                server: server, peer: connection.peer, loop: channel.eventLoop, certificate: connection.certificate))
    }
}
