import AssayListening
import AssayRPC
import AssaySimulator
import Foundation
import NIOSSL
import Testing

@testable import AssayOperations

@Suite("Operations address over TLS", .timeLimit(.minutes(30)))
struct OperationsTLSTests {
    private let serverCA: TestTLSAuthority
    private let callerCA: TestTLSAuthority
    private let tls: ServerTLS

    init() throws {
        (serverCA, callerCA) = (try TestTLSAuthority("server CA"), try TestTLSAuthority("caller CA"))
        tls = try ServerTLS(
            Self.credentials(serverCA, trusting: callerCA), for: [OperationsServer.offer],
            clock: { Int64(Date.now.timeIntervalSince1970 * 1000) },
            naming: { _ in RPCPeerNames(uris: ["spiffe://example.org/prometheus"], dnsNames: []) })
    }

    private static func credentials(
        _ authority: TestTLSAuthority, trusting callers: TestTLSAuthority...
    ) throws -> TLSCredentials {
        let issued = try authority.issue(.server, names: [.dns("localhost"), .ipAddress([127, 0, 0, 1])])
        return try TLSCredentials(
            certificates: Array(issued.certificate.utf8), privateKey: Array(issued.privateKey.utf8),
            authorities: Array(callers.map(\.pem).joined().utf8))
    }

    /// - Parameter showsCertificate: whether the client is a caller.
    private func client(of operations: TestOperations, showsCertificate: Bool) async throws -> TLSClient {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(serverCA.pem.utf8)))
        if showsCertificate {
            let issued = try callerCA.issue(.client, names: [.uri("spiffe://example.org/prometheus")])
            configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(issued.certificate.utf8)).map {
                .certificate($0)
            }
            configuration.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(issued.privateKey.utf8), format: .pem))
        }
        return try await TLSClient.connect(to: operations.port, configuration)
    }

    /// Callers are known by their certificates; others see the probes.
    private func operations(limits: OperationsLimits = TestOperations.patient) async throws -> TestOperations {
        try await TestOperations(
            open: [.probes], limits: limits, at: .tls(host: "127.0.0.1", port: 0), tls: tls,
            caller: { peer in
                guard case .tls(_, _, let names) = peer, !names.uris.isEmpty else { return nil }
                return TestOperations.all
            })
    }

    @Test("A peer with a certificate is a caller, and one without gets what is open")
    func callers() async throws {
        let operations = try await operations()
        let caller = try await client(of: operations, showsCertificate: true)
        #expect(try await caller.get("/status").contains("uri=spiffe://example.org/prometheus"))
        let stranger = try await client(of: operations, showsCertificate: false)
        #expect(try await stranger.get("/status").hasPrefix("HTTP/1.1 403"))
        #expect(try await stranger.get("/livez").hasPrefix("HTTP/1.1 200"))
        for client in [caller, stranger] { await client.close() }
        await operations.server.stop()
    }

    @Test("An open connection keeps its caller when the server's certificate is renewed, and loses it when its CA is taken out")
    func reload() async throws {
        let operations = try await operations()
        let caller = try await client(of: operations, showsCertificate: true)
        #expect(try await caller.get("/status").hasPrefix("HTTP/1.1 200"))
        #expect(try tls.prepare(Self.credentials(serverCA, trusting: callerCA))() == 0)
        let kept = try await caller.get("/status")
        #expect(kept.hasPrefix("HTTP/1.1 200") && !kept.lowercased().contains("connection: close"))
        #expect(try tls.prepare(Self.credentials(serverCA, trusting: TestTLSAuthority("another CA")))() == 1)
        let last = try await caller.get("/status")
        #expect(last.hasPrefix("HTTP/1.1 403") && last.lowercased().contains("connection: close"), "\(last)")
        #expect(try await caller.get("/livez").isEmpty, "it was the last answer")
        await operations.server.stop()
    }

    @Test("Handshakes that never end keep no scraper out, and take no place of a connection")
    func unfinishedHandshakes() async throws {
        var limits = TestOperations.patient
        (limits.connections, limits.handshake) = (8, .seconds(60))
        let operations = try await operations(limits: limits)
        let kept = try await client(of: operations, showsCertificate: true)
        #expect(try await kept.get("/livez").hasPrefix("HTTP/1.1 200"))
        let silent = (0..<100).compactMap { _ in operations.client() }
        #expect(silent.count == 100)
        for _ in 0..<5 {
            let scraper = try await client(of: operations, showsCertificate: true)
            #expect(try await scraper.get("/metrics").hasPrefix("HTTP/1.1 200"))
            await scraper.close()
        }
        #expect(try await kept.get("/livez").hasPrefix("HTTP/1.1 200"), "it has kept its place")
        await kept.close()
        await operations.server.stop()
    }

    @Test("A handshake that takes too long is ended")
    func slowHandshake() async throws {
        var limits = TestOperations.patient
        limits.handshake = .milliseconds(50)
        let operations = try await operations(limits: limits)
        #expect(await operations.client()?.isClosedByPeer() == true)
        await operations.server.stop()
    }
}
