import AssayCore
import AssayRPC
import AssaySimulator
import NIOSSL

@testable import AssayHTTP
@testable import AssayListening

/// A server's CA, a CA of callers, and the credentials of both sides.
struct HTTPTestTLS {
    static let address = RPCAddress.tls(host: "127.0.0.1", port: 0)
    static let callerName = "spiffe://example.org/uploads"

    let server: ServerTLS
    private let serverCA: TestTLSAuthority
    private let callerCA: TestTLSAuthority

    init() throws {
        (serverCA, callerCA) = (try TestTLSAuthority("server CA"), try TestTLSAuthority("caller CA"))
        let issued = try serverCA.issue(.server, names: [.dns("localhost"), .ipAddress([127, 0, 0, 1])])
        let credentials = try TLSCredentials(
            certificates: Array(issued.certificate.utf8), privateKey: Array(issued.privateKey.utf8),
            authorities: Array(callerCA.pem.utf8))
        // The module reads no certificates: it passes on the names that this closure returns.
        server = try ServerTLS(
            credentials, for: [HTTPServer.offer], clock: { SystemClock().now().unixMilliseconds },
            naming: { _ in RPCPeerNames(uris: [Self.callerName], dnsNames: []) })
    }

    /// - Parameter protocols: those that the client names (ALPN).
    func client(_ protocols: [String], showsCertificate: Bool = true) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(serverCA.pem.utf8)))
        configuration.applicationProtocols = protocols
        guard showsCertificate else { return configuration }
        let issued = try callerCA.issue(.client, names: [.uri(Self.callerName)])
        configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(issued.certificate.utf8)).map {
            .certificate($0)
        }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKey.utf8), format: .pem))
        return configuration
    }
}
