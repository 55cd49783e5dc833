package import AssayRPC
import NIOSSL
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
        var trust: ClientTrustStore
    }

    let naming: Naming
    let clock: Clock
    private let inUse: Mutex<InUse>

    /// - Parameter clock: for the certificates of open connections. BoringSSL checks the dates in a handshake by the machine's clock.
    package init(_ credentials: TLSCredentials, clock: @escaping Clock, naming: @escaping Naming) throws(TLSError) {
        inUse = Mutex(InUse(context: try credentials.serverContext(), trust: ClientTrustStore(credentials.authorities)))
        (self.clock, self.naming) = (clock, naming)
    }

    /// Replaces the credentials, and returns how many CAs of callers that removes.
    package typealias Exchange = @Sendable () -> Int

    /// Prepares the replacement of the credentials; nothing changes before the closure is called. New connections then get the new
    /// ones. Earlier sessions are not resumed: the old context sealed their tickets.
    package func prepare(_ credentials: TLSCredentials) throws(TLSError) -> Exchange {
        let new = try credentials.serverContext()
        return {
            self.inUse.withLock { inUse in
                let (trust, removed) = inUse.trust.replaced(by: credentials.authorities)
                inUse = InUse(context: new, trust: trust)
                return removed
            }
        }
    }

    /// The TLS handler of one connection, and the CAs that it verifies with.
    func handshake() -> (handler: NIOSSLServerHandler, trust: ClientTrustStore) {
        let inUse = inUse.withLock { $0 }
        return (NIOSSLServerHandler(context: inUse.context), inUse.trust)
    }

    /// The CAs that new connections are verified with.
    var trust: ClientTrustStore { inUse.withLock { $0.trust } }
}

extension TLSCredentials {
    fileprivate func serverContext() throws(TLSError) -> NIOSSLContext {
        try context { credentials in
            var configuration = TLSConfiguration.makeServerConfigurationWithMTLS(
                certificateChain: credentials.chain.map { .certificate($0) },
                privateKey: .privateKey(credentials.privateKey), trustRoots: .certificates(credentials.authorities))
            // Lets clients with several certificates choose.
            configuration.sendCANameList = true
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
