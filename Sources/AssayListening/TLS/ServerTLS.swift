package import AssayRPC
import NIOCore
import NIOSSL
import Synchronization

/// A server's side of TLS 1.3: its certificate, and the CAs that callers' certificates must come from. Both can be replaced while the
/// server runs: open connections keep the certificate that they began with, and end soon if a CA was removed.
package final class ServerTLS: Sendable {
    /// Reads the names in a verified certificate, given its DER. The connection is refused if it throws.
    package typealias Naming = @Sendable (_ certificate: [UInt8]) throws -> RPCPeerNames
    /// The wall clock: milliseconds since 1970.
    package typealias Clock = @Sendable () -> Int64

    /// For the connections of one offer.
    private struct Contexts {
        let required: NIOSSLContext
        /// Clients may show no certificate.
        let optional: NIOSSLContext

        init(_ credentials: TLSCredentials, for offer: TLSOffer) throws(TLSError) {
            required = try credentials.serverContext(for: offer)
            optional = try credentials.serverContext(for: offer, verification: .optionalVerification)
        }
    }

    private struct InUse {
        var contexts: [TLSOffer: Contexts]
        var trust: ClientTrustStore
    }

    /// What an address asks for that no context was made for.
    private struct NoSuchOffer: Error {}

    /// Those that it is for.
    let offers: Set<TLSOffer>
    let naming: Naming
    let clock: Clock
    private let inUse: Mutex<InUse>

    /// - Parameters:
    ///   - offers: those of the servers that it is for. Each has contexts of its own: a session of one is not resumed at another.
    ///   - clock: for the certificates of open connections. BoringSSL checks the dates in a handshake by the machine's clock.
    package init(
        _ credentials: TLSCredentials, for offers: Set<TLSOffer>, clock: @escaping Clock, naming: @escaping Naming
    ) throws(TLSError) {
        inUse = Mutex(
            InUse(contexts: try Self.contexts(credentials, offers), trust: ClientTrustStore(credentials.authorities)))
        (self.offers, self.clock, self.naming) = (offers, clock, naming)
    }

    private static func contexts(
        _ credentials: TLSCredentials, _ offers: Set<TLSOffer>
    ) throws(TLSError) -> [TLSOffer: Contexts] {
        var contexts: [TLSOffer: Contexts] = [:]
        for offer in offers { contexts[offer] = try Contexts(credentials, for: offer) }
        return contexts
    }

    /// Replaces the credentials, and returns how many CAs of callers that removes.
    package typealias Exchange = @Sendable () -> Int

    /// Prepares the replacement of the credentials; nothing changes before the closure is called. New connections then get the new
    /// ones. Earlier sessions are not resumed: the old context sealed their tickets.
    package func prepare(_ credentials: TLSCredentials) throws(TLSError) -> Exchange {
        let contexts = try Self.contexts(credentials, offers)
        return {
            self.inUse.withLock { inUse in
                let (trust, removed) = inUse.trust.replaced(by: credentials.authorities)
                inUse = InUse(contexts: contexts, trust: trust)
                return removed
            }
        }
    }

    /// The TLS handler of one connection, and the CAs that it verifies with.
    ///
    /// - Parameter requiresCertificate: false: the client may show none. One that it shows must be good all the same.
    func handshake(
        _ offer: TLSOffer, requiresCertificate: Bool
    ) throws -> (handler: NIOSSLServerHandler, trust: ClientTrustStore) {
        let inUse = inUse.withLock { $0 }
        guard let contexts = inUse.contexts[offer] else { throw NoSuchOffer() }
        return (NIOSSLServerHandler(context: requiresCertificate ? contexts.required : contexts.optional), inUse.trust)
    }

    /// The CAs that new connections are verified with.
    var trust: ClientTrustStore { inUse.withLock { $0.trust } }
}

extension TLSCredentials {
    /// Throws if key and certificate do not belong together, which only use shows.
    package func check() throws(TLSError) { _ = try serverContext(for: TLSOffer([], isRequired: false)) }

    fileprivate func serverContext(
        for offer: TLSOffer, verification: CertificateVerification = .noHostnameVerification
    ) throws(TLSError) -> NIOSSLContext {
        try context(for: offer.names) { credentials in
            var configuration = TLSConfiguration.makeServerConfigurationWithMTLS(
                certificateChain: credentials.chain.map { .certificate($0) },
                privateKey: .privateKey(credentials.privateKey), trustRoots: .certificates(credentials.authorities))
            // Lets clients with several certificates choose.
            configuration.sendCANameList = true
            configuration.certificateVerification = verification
            configuration.shutdownTimeout = TimeAmount(offer.shutdownTimeout)
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
