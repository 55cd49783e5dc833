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
    package init(_ credentials: TLSCredentials, clock: @escaping Clock, naming: @escaping Naming) throws(TLSProblem) {
        inUse = Mutex(InUse(context: try credentials.serverContext(), trust: ClientTrustStore(credentials.authorities)))
        (self.clock, self.naming) = (clock, naming)
    }

    /// Replaces the credentials, and returns how many CAs of callers that removes.
    package typealias Exchange = @Sendable () -> Int

    /// Prepares the replacement of the credentials; nothing changes before the closure is called. New connections then get the new
    /// ones. Earlier sessions are not resumed: the old context sealed their tickets.
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

    /// The TLS handler of one connection, and the CAs that it verifies with.
    func handshake() -> (handler: NIOSSLServerHandler, trust: ClientTrustStore) {
        let inUse = inUse.withLock { $0 }
        return (NIOSSLServerHandler(context: inUse.context), inUse.trust)
    }

    /// The CAs that new connections are verified with.
    var trust: ClientTrustStore { inUse.withLock { $0.trust } }
}

extension TLSCredentials {
    fileprivate func serverContext() throws(TLSProblem) -> NIOSSLContext {
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
