import AssayCore
import AssaySimulator
import AssayTesting
import NIOSSL

@testable import AssayListening
@testable import AssayRPC

/// A server's side of TLS, with the CA of the server and that of callers.
struct ListeningTLS {
    static let offer = TLSOffer(["echo"], isRequired: true, shutdownTimeout: .milliseconds(200))
    /// Of a protocol that may be left unnamed.
    static let optionalOffer = TLSOffer(["echo"], isRequired: false, shutdownTimeout: .milliseconds(200))

    let serverCA: TestTLSAuthority
    let callerCA: TestTLSAuthority
    let server: ServerTLS

    init(clock: any WallClock = SystemClock()) throws {
        (serverCA, callerCA) = (try TestTLSAuthority("server CA"), try TestTLSAuthority("caller CA"))
        server = try ServerTLS(
            Self.credentials(serverCA, trusting: [callerCA]), for: [Self.offer, Self.optionalOffer],
            clock: { clock.now().unixMilliseconds },
            naming: { der in RPCPeerNames(uris: ["spiffe://example.org/uploads"], dnsNames: ["\(der.isEmpty)"]) })
    }

    static func credentials(_ authority: TestTLSAuthority, trusting callers: [TestTLSAuthority]) throws -> TLSCredentials {
        let issued = try authority.issue(.server, names: [.dns("localhost"), .ipAddress([127, 0, 0, 1])])
        return try TLSCredentials(
            certificates: Array(issued.certificate.utf8), privateKey: Array(issued.privateKey.utf8),
            authorities: Array(callers.map(\.pem).joined().utf8))
    }

    /// A client's side.
    ///
    /// - Parameter issuer: the CA of its certificate; nil: it shows none.
    func client(from issuer: TestTLSAuthority?, naming protocols: [String]) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(serverCA.pem.utf8)))
        configuration.applicationProtocols = protocols
        guard let issued = try issuer?.issue(.client, names: [.dns("uploads.example.org")]) else { return configuration }
        configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(issued.certificate.utf8)).map {
            .certificate($0)
        }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKey.utf8), format: .pem))
        return configuration
    }
}
