import NIOSSL
import Synchronization

/// A server's side of TLS 1.3: its certificate, and the CAs that callers' certificates must come from. May be replaced while
/// the server runs: connections that stand keep what they began with.
package final class ServerTLS: Sendable {
    /// The names in a verified certificate, given its DER. Throws for a certificate that it cannot read; then the
    /// connection is refused.
    package typealias Naming = @Sendable (_ certificate: [UInt8]) throws -> RPCPeerNames

    let naming: Naming
    private let context: Mutex<NIOSSLContext>

    package init(_ credentials: TLSCredentials, naming: @escaping Naming) throws(TLSProblem) {
        context = Mutex(try credentials.serverContext())
        self.naming = naming
    }

    /// Makes ready what exchanges the credentials; nothing changes before that is called. Connections are then greeted with the
    /// new ones. Sessions from before are not resumed: their tickets were sealed by the context that goes.
    package func prepare(_ credentials: TLSCredentials) throws(TLSProblem) -> @Sendable () -> Void {
        let new = try credentials.serverContext()
        return { self.context.withLock { $0 = new } }
    }

    /// For one connection.
    func handler() -> NIOSSLServerHandler { NIOSSLServerHandler(context: context.withLock { $0 }) }
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
