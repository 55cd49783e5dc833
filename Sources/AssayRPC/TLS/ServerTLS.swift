import NIOSSL
import Synchronization

/// A server's side of TLS 1.3: its certificate, and the CAs that callers' certificates must come from. May be replaced while
/// the server runs: connections that stand keep the certificate that they began with, and end soon if a CA was taken out.
package final class ServerTLS: Sendable {
    /// The names in a verified certificate, given its DER. Throws for a certificate that it cannot read; then the
    /// connection is refused.
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

    /// - Parameter clock: judges when certificates end while their connections stand. In a handshake BoringSSL judges their
    ///   dates, by the machine's clock.
    package init(_ credentials: TLSCredentials, clock: @escaping Clock, naming: @escaping Naming) throws(TLSProblem) {
        inUse = Mutex(InUse(context: try credentials.serverContext(), trust: ClientTrustStore(credentials.authorities)))
        (self.clock, self.naming) = (clock, naming)
    }

    /// Exchanges the credentials, and returns how many CAs of callers are taken out with that.
    package typealias Exchange = @Sendable () -> Int

    /// Makes ready what exchanges the credentials; nothing changes before that is called. Connections are then greeted with the
    /// new ones. Sessions from before are not resumed: their tickets were sealed by the context that goes.
    package func prepare(_ credentials: TLSCredentials) throws(TLSProblem) -> Exchange {
        let new = try credentials.serverContext()
        return {
            self.inUse.withLock { inUse in
                let (trust, removed) = inUse.trust.replaced(by: credentials.authorities)
                inUse = InUse(context: new, trust: trust)
                return removed
            }
        }
    }

    /// For one connection: what shakes hands, and whom it will have been verified with then.
    func greeting() -> (handler: NIOSSLServerHandler, trust: ClientTrustStore) {
        let inUse = inUse.withLock { $0 }
        return (NIOSSLServerHandler(context: inUse.context), inUse.trust)
    }

    /// Whom callers are verified with now.
    var trust: ClientTrustStore { inUse.withLock { $0.trust } }
}

extension TLSCredentials {
    fileprivate func serverContext() throws(TLSProblem) -> NIOSSLContext {
        try context { credentials in
            var configuration = TLSConfiguration.makeServerConfigurationWithMTLS(
                certificateChain: credentials.chain.map { .certificate($0) },
                privateKey: .privateKey(credentials.privateKey), trustRoots: .certificates(credentials.authorities))
            // Tells clients that have several certificates which one to show.
            configuration.sendCANameList = true
            return configuration
        }
    }
}
