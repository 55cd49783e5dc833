import NIOCore
import NIOSSL

/// A client's side of TLS 1.3: its certificate, and the CAs that the server's certificate must come from.
package struct ClientTLS: Sendable {
    private let context: NIOSSLContext
    private let serverName: String?

    /// - Parameter serverName: the DNS name that the server's certificate must have; nil: the host of the address, a name or an IP
    ///   address.
    package init(_ credentials: TLSCredentials, serverName: String? = nil) throws(TLSProblem) {
        context = try credentials.context { credentials in
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates(credentials.authorities)
            configuration.certificateChain = credentials.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(credentials.privateKey)
            return configuration
        }
        self.serverName = serverName
    }

    /// The DNS name that the certificate of a server at this host must have; nil for a host that is an IP address, which the
    /// certificate must then have.
    func expectedName(at host: String) -> String? {
        let isNumeric = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return serverName ?? (isNumeric ? nil : host)
    }

    /// The TLS handler of one connection. Throws for an invalid server name.
    func handler(host: String) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: expectedName(at: host))
    }
}
