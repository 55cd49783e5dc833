import AssayListening
import AssayRPC
import NIOCore

/// HTTP, as a server speaks it at its addresses.
struct HTTPProtocol: ConnectionProtocol {
    let server: HTTPServerState
    /// Addresses with TLS at which clients may show no certificate.
    let withoutCertificates: Set<RPCAddress>

    var offer: TLSOffer { HTTPServer.offer }

    func requiresCertificate(of peer: RPCPeer, at address: RPCAddress) -> Bool { !withoutCertificates.contains(address) }

    func serve(_ accepted: AcceptedConnection) throws {
        let connection = HTTPConnection(server: server, accepted)
        let pipeline = accepted.channel.pipeline.syncOperations
        // What ALPN agreed on shows in the first bytes, as it does in clear.
        try pipeline.addHandler(ByteMeter(connection))
        try pipeline.addHandler(PrefaceHandler(connection))
    }
}
