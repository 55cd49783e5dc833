import AssayCore
package import AssayListening
import NIOCore
import NIOSSL

/// A client's side of HTTPS: the CAs that the server's certificate must come from, and the certificate that is shown to it, if any.
///
/// TLS 1.2 is taken beside 1.3: what answers may be a proxy before the daemon.
package struct HTTPClientTLS: Sendable {
    let configuration: TLSConfiguration
    let serverName: String?

    /// - Parameters:
    ///   - authorities: PEM; `nil`: the CAs that the machine trusts.
    ///   - identity: PEM, the client's certificate followed by its intermediates, and its key without a passphrase; `nil`: no certificate is
    ///     shown.
    ///   - serverName: the DNS name that the server's certificate must have; `nil`: the host of the address.
    package init(
        authorities: [UInt8]?, identity: (certificates: [UInt8], privateKey: [UInt8])?, serverName: String? = nil
    ) throws(TLSError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // Calls of a connection that is given up end when the server's own end of TLS has come, or this time has passed.
        configuration.shutdownTimeout = .seconds(1)
        if let authorities { configuration.trustRoots = .certificates(try TLSCredentials.read(authorities, .authorities)) }
        if let identity {
            let chain = try TLSCredentials.read(identity.certificates, .certificates)
            guard !identity.privateKey.isEmpty, let key = try? NIOSSLPrivateKey(bytes: identity.privateKey, format: .pem) else {
                throw TLSError.noPrivateKey(in: identity.privateKey)
            }
            configuration.certificateChain = chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(key)
        }
        // Finds out whether key and certificate belong together.
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw TLSError(
                identity == nil ? .authorities : .privateKey,
                identity == nil
                    ? TLSFailure.explain(error) : "the key is not the certificate's (\(TLSFailure.explain(error)))")
        }
        (self.configuration, self.serverName) = (configuration, serverName)
    }

    /// The DNS name that the server's certificate must have; `nil` for a numeric address, which TLS compares with the certificate's.
    func expectedName(at address: HTTPAddress) -> ServerName? {
        guard case .network(let host, _) = address.place else { return nil }
        let name = serverName ?? host
        return (try? SocketAddress(ipAddress: name, port: 0)) == nil ? ServerName(name) : nil
    }

    /// The machine's CAs, and no certificate to show.
    package static func usual() throws(TLSError) -> HTTPClientTLS { try HTTPClientTLS(authorities: nil, identity: nil) }
}
