package import AssayRPC
import NIOCore
package import NIOSSL
import Synchronization

/// A server's side of TLS 1.3: its certificate, and the CAs that callers' certificates must come from. Both can be replaced while the
/// server runs: open connections keep the certificate that they began with, and end soon if a CA was removed.
package final class ServerTLS: Sendable {
    /// Reads the names in a verified certificate, given its DER. The connection is refused if it throws.
    package typealias Naming = @Sendable (_ certificate: [UInt8]) throws -> RPCPeerNames
    /// The wall clock: milliseconds since 1970.
    package typealias Clock = @Sendable () -> Int64

    private struct InUse {
        var context: NIOSSLContext
        /// Clients may show no certificate.
        var optional: NIOSSLContext
        var trust: ClientTrustStore
        var http: HTTPContexts
        /// How often the credentials were replaced.
        var version = 0
    }

    /// For HTTP, where a certificate of the client may be required or not.
    private struct HTTPContexts {
        let required: NIOSSLContext
        let optional: NIOSSLContext

        init(_ credentials: TLSCredentials) throws(TLSError) {
            required = try credentials.serverContext(for: TLSProtocol.http)
            optional = try credentials.serverContext(for: TLSProtocol.http, verification: .optionalVerification)
        }
    }

    let naming: Naming
    let clock: Clock
    private let inUse: Mutex<InUse>

    /// - Parameter clock: for the certificates of open connections. BoringSSL checks the dates in a handshake by the machine's clock.
    package init(_ credentials: TLSCredentials, clock: @escaping Clock, naming: @escaping Naming) throws(TLSError) {
        inUse = Mutex(
            InUse(
                context: try credentials.serverContext(),
                optional: try credentials.serverContext(verification: .optionalVerification),
                trust: ClientTrustStore(credentials.authorities),
                http: try HTTPContexts(credentials)))
        (self.clock, self.naming) = (clock, naming)
    }

    /// Replaces the credentials, and returns how many CAs of callers that removes.
    package typealias Exchange = @Sendable () -> Int

    /// Prepares the replacement of the credentials; nothing changes before the closure is called. New connections then get the new
    /// ones. Earlier sessions are not resumed: the old context sealed their tickets.
    package func prepare(_ credentials: TLSCredentials) throws(TLSError) -> Exchange {
        let (new, http) = (try credentials.serverContext(), try HTTPContexts(credentials))
        let optional = try credentials.serverContext(verification: .optionalVerification)
        return {
            self.inUse.withLock { inUse in
                let (trust, removed) = inUse.trust.replaced(by: credentials.authorities)
                inUse = InUse(
                    context: new, optional: optional, trust: trust, http: http, version: inUse.version + 1)
                return removed
            }
        }
    }

    /// The TLS handler of one connection, and the CAs that it verifies with.
    ///
    /// - Parameter requiresCertificate: false: the client may show none. One that it shows must be good all the same.
    func handshake(requiresCertificate: Bool) -> (handler: NIOSSLServerHandler, trust: ClientTrustStore) {
        let inUse = inUse.withLock { $0 }
        return (NIOSSLServerHandler(context: requiresCertificate ? inUse.context : inUse.optional), inUse.trust)
    }

    /// The TLS handler of one HTTP connection.
    ///
    /// - Parameter requiresCertificate: whether a client without a certificate is refused. A certificate that is shown is verified in
    ///   either case, and refused if it is not from a CA of callers.
    package func httpHandshake(requiresCertificate: Bool) -> NIOSSLServerHandler {
        let http = inUse.withLock { $0.http }
        return NIOSSLServerHandler(context: requiresCertificate ? http.required : http.optional)
    }

    /// Changes when the credentials are replaced: connections that began before were verified by other CAs.
    package var version: Int { inUse.withLock { $0.version } }

    /// The peer behind a verified certificate, while the certificate has not ended; `nil` after that, or if its names cannot be read.
    package func peer(showing certificate: NIOSSLCertificate, address: String, port: Int) -> RPCPeer? {
        guard Int64(certificate.notValidAfter) * 1000 > clock(), let der = try? certificate.toDERBytes(),
            let names = try? naming(der)
        else { return nil }
        return .tls(address: address, port: port, names: names)
    }

    /// The CAs that new connections are verified with.
    var trust: ClientTrustStore { inUse.withLock { $0.trust } }
}

extension TLSCredentials {
    fileprivate func serverContext(
        for name: String = TLSProtocol.name, verification: CertificateVerification = .noHostnameVerification
    ) throws(TLSError) -> NIOSSLContext {
        try context(for: name) { credentials in
            var configuration = TLSConfiguration.makeServerConfigurationWithMTLS(
                certificateChain: credentials.chain.map { .certificate($0) },
                privateKey: .privateKey(credentials.privateKey), trustRoots: .certificates(credentials.authorities))
            // Lets clients with several certificates choose.
            configuration.sendCANameList = true
            configuration.certificateVerification = verification
            // A scraper that keeps its connection does not answer the end of it: the daemon's stop does not wait for that.
            if name == TLSProtocol.http { configuration.shutdownTimeout = .milliseconds(200) }
            return configuration
        }
    }
}

/// The CAs that callers' certificates must come from, in one version of the configuration.
struct ClientTrustStore: Sendable {
    private let authorities: Set<NIOSSLCertificate>
    /// How often a CA was removed before this version. A CA that verified a connection under a lower number may be gone.
    let removals: Int

    init(_ authorities: [NIOSSLCertificate]) { self.init(Set(authorities), removals: 0) }

    private init(_ authorities: Set<NIOSSLCertificate>, removals: Int) {
        (self.authorities, self.removals) = (authorities, removals)
    }

    /// The next version, and how many CAs of this one are not in it. A newer certificate of a CA counts as another CA.
    func replaced(by authorities: [NIOSSLCertificate]) -> (trust: ClientTrustStore, removed: Int) {
        let next = Set(authorities)
        let removed = self.authorities.subtracting(next).count
        return (ClientTrustStore(next, removals: removals + (removed > 0 ? 1 : 0)), removed)
    }

    /// When the next CA expires after `time`; nil: all have expired. Both in seconds since 1970.
    func firstEnd(after time: Int64) -> Int64? {
        authorities.lazy.map { Int64($0.notValidAfter) }.filter { $0 > time }.min()
    }
}
