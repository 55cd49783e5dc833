import AssayCore
import AssaySimulator
import AssayTesting
import NIOSSL

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

/// A server's CA, a CA of callers, and the credentials of both sides.
struct TestTLS {
    static let names: [SubjectAlternativeName] = [.uri("spiffe://example.org/uploads"), .dns("uploads.example.org")]

    let serverCA: TestTLSAuthority
    let callerCA: TestTLSAuthority
    let server: ServerTLS

    init(
        clock: any WallClock = SystemClock(), callerCA: TestTLSAuthority? = nil,
        naming: @escaping ServerTLS.Naming = Self.naming
    ) throws {
        (serverCA, self.callerCA) = (try TestTLSAuthority("server CA"), try callerCA ?? TestTLSAuthority("caller CA"))
        server = try ServerTLS(
            Self.serverCredentials(serverCA, trusting: self.callerCA), for: [FramedServer.offer],
            clock: { clock.now().unixMilliseconds }, naming: naming)
    }

    /// The module reads no certificates: it passes on the names that this closure returns.
    static let naming: ServerTLS.Naming = { der in
        RPCPeerNames(uris: ["spiffe://example.org/uploads"], dnsNames: ["\(der.isEmpty)"])
    }

    static let address = RPCAddress.tls(host: "127.0.0.1", port: 0)

    static func serverCredentials(
        _ authority: TestTLSAuthority, trusting callers: TestTLSAuthority...,
        names: [SubjectAlternativeName] = [.dns("localhost"), .ipAddress([127, 0, 0, 1])]
    ) throws -> TLSCredentials {
        let issued = try authority.issue(.server, names: names)
        return try TLSCredentials(
            certificates: Array(issued.certificate.utf8), privateKey: Array(issued.privateKey.utf8),
            authorities: Array(callers.map(\.pem).joined().utf8))
    }

    static func credentials(
        _ issued: TestTLSAuthority.Issued, trusting authority: TestTLSAuthority
    ) throws(TLSError) -> TLSCredentials {
        try TLSCredentials(
            certificates: Array(issued.certificate.utf8), privateKey: Array(issued.privateKey.utf8),
            authorities: Array(authority.pem.utf8))
    }

    /// A caller that does everything right.
    func caller(serverName: String? = nil) throws -> ClientTLS {
        try ClientTLS(
            Self.credentials(callerCA.issue(.client, names: Self.names), trusting: serverCA), serverName: serverName)
    }

    /// The same for a foreign client, for doing one thing wrong.
    func configuration(showing issued: TestTLSAuthority.Issued? = nil) throws -> TLSConfiguration {
        let issued = try issued ?? callerCA.issue(.client, names: Self.names)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(serverCA.pem.utf8)))
        configuration.applicationProtocols = ["assay-rpc/1"]
        configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(issued.certificate.utf8)).map {
            .certificate($0)
        }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKey.utf8), format: .pem))
        return configuration
    }

    /// Runs a server with TLS around `body`.
    func run(
        _ limits: RPCLimits = .patient, log: LogBook? = nil, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(limits, at: Self.address, tls: server, log: log, body)
    }
}
